"""A chat that says what a test wants, and remembers what it was asked."""

import json
import re
import threading

from stilltrue.errors import ModelError
from stilltrue.ports import Reply

DATA = re.compile(r"<data>\n(.*)\n</data>", re.DOTALL)


def data_of(user):
    """The data of a request, as the model reads it."""
    (block,) = DATA.findall(user)
    return json.loads(block)


def pairs_of(user):
    """(id, existing text, new text) of every pair asked about."""
    return [
        (pair["pair"], pair["text"], group["new"]["text"])
        for group in data_of(user)["groups"]
        for pair in group["existing"]
    ]


def verdicts(user, relation="UPDATE", reason="it changed"):
    """A clean reply; `relation` may be a function of the two texts."""
    told = relation if callable(relation) else lambda *_: relation
    made = [{"pair": name, "reason": reason, "relation": told(old, new)} for name, old, new in pairs_of(user)]
    return json.dumps({"verdicts": made})


class ScriptedChat:
    """`script`: a function of the request's text to a reply's text, or a list of replies: texts, functions, errors."""

    def __init__(self, script=verdicts, *, tokens=100, model="scripted"):
        self.model = model
        self.requests = []
        self.schemas = []
        self._script = list(script) if isinstance(script, list) else script
        self._tokens = tokens
        self._guard = threading.Lock()

    def complete(self, system, user, schema):
        with self._guard:
            self.requests.append(user)
            self.schemas.append(schema)
            step = self._script.pop(0) if isinstance(self._script, list) else self._script
        if isinstance(step, Exception):
            raise step
        return Reply(step(user) if callable(step) else step, self._tokens)


DOWN = ModelError("localhost did not answer; start the server")
