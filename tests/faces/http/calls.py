"""Every operation once, as a request that is fit to be sent: what tests of tokens, roles and spaces are run over."""

from typing import NamedTuple

READER, WRITER, REVIEWER, ADMIN = "reader", "writer", "reviewer", "admin"


class Call(NamedTuple):
    """An operation with the role that it needs. `names`: where the id of something of a space belongs."""

    method: str
    path: str
    role: str
    body: dict | None = None
    query: dict | None = None

    def sent(self, client, space, identifier):
        """The request, about the thing with this id, in this space."""

        def put(held):
            if isinstance(held, str):
                return held.replace("{id}", identifier)
            if isinstance(held, list):
                return [put(one) for one in held]
            return {key: put(one) for key, one in held.items()} if isinstance(held, dict) else held

        query = {"space": space, **(put(self.query) or {})}
        return client.request(self.method, put(self.path), json=put(self.body), params=query)

    @property
    def takes_id(self):
        return "{id}" in f"{self.path}{self.body}{self.query}"

    @property
    def template(self):
        for name, shown in (("facts", "fact_id"), ("conflicts", "conflict_id"), ("explanations", "identifier")):
            if f"/{name}/{{id}}" in self.path:
                return self.path.replace("{id}", f"{{{shown}}}")
        return self.path.replace("{id}", "{proposal}")


CALLS = (
    Call("POST", "/v1/search", READER, {"query": "heron canary"}),
    Call("POST", "/v1/ask", READER, {"question": "What is the canary?"}),
    Call("POST", "/v1/check", READER, {"text": "Since the canary is still here, ask its owner."}),
    Call("GET", "/v1/lookup", READER, query={"subject": "canary", "include_superseded": "true"}),
    Call("GET", "/v1/facts", READER, query={"include_superseded": "true"}),
    Call("GET", "/v1/facts/{id}", READER),
    Call("GET", "/v1/facts/{id}/history", READER),
    Call("GET", "/v1/timeline", READER, query={"subject": "canary"}),
    Call("GET", "/v1/explanations/{id}", READER),
    Call("GET", "/v1/conflicts", READER, query={"status": "all"}),
    Call("GET", "/v1/conflicts/{id}", READER),
    Call("GET", "/v1/rechecks", READER),
    Call("GET", "/v1/stats", READER),
    Call("GET", "/v1/settings", READER),
    Call("GET", "/v1/members", READER),
    Call("GET", "/v1/spaces", READER),
    Call("GET", "/v1/whoami", READER),
    Call("GET", "/v1/estimate", READER),
    Call("GET", "/v1/proposals", READER),
    Call("GET", "/metrics", READER),
    Call("POST", "/v1/memories", WRITER, {"text": "The harbour opens at six."}),
    Call("POST", "/v1/memories", WRITER, {"text": "The quay opens at six.", "supersedes": ["{id}"]}),
    Call("POST", "/v1/memories", WRITER, {"text": "The pier opens at six.", "depends_on": ["{id}"], "wait": False}),
    Call("POST", "/v1/conflicts/{id}/resolve", REVIEWER, {"answer": "dismiss"}),
    Call("POST", "/v1/conflicts/{id}/resolve", REVIEWER, {"answer": "keep", "keep": "{id}"}),
    Call("POST", "/v1/facts/{id}/forget", REVIEWER, {}),
    Call("POST", "/v1/facts/{id}/confirm", REVIEWER, {}),
    Call("POST", "/v1/undo", REVIEWER, {"id": "{id}"}),
    Call("POST", "/v1/erase", ADMIN, {"id": "{id}"}),
    Call("POST", "/v1/drain", ADMIN),
    Call("POST", "/v1/sweep", ADMIN, {"plan": True}),
    Call("POST", "/v1/sweep", ADMIN, {}),
    Call("POST", "/v1/detect", ADMIN, {}),
    Call("POST", "/v1/story", ADMIN, {}),
    Call("POST", "/v1/maintain", ADMIN, {}),
    Call("POST", "/v1/proposals/apply", ADMIN, {"proposals": ["{id}"]}),
    Call("POST", "/v1/proposals/{id}/grade", ADMIN, {"right": True}),
    Call("PATCH", "/v1/settings", ADMIN, {"settings": {"search_limit": 7}}),
    Call("PUT", "/v1/members", ADMIN, {"members": []}),
    Call("POST", "/v1/check-store", ADMIN),
)
"""That of a whole store is for tokens that are good for all spaces; it has a test of its own."""
