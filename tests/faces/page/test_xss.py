"""Can a remembered text become part of the page? It is put in every place that shows text, and the elements counted."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from stilltrue.faces.page.paper import link
from stilltrue.memory import Memory
from stilltrue.model.conflict import Conflict, ConflictKind
from stilltrue.model.ids import ConflictId
from stilltrue.testing import FrozenClock, memory
from tests.faces.page.conftest import NOW, field, serving
from tests.faces.page.hostile import HOSTILE
from tests.flow.teller import WordEmbedder

HARMLESS = "harmless"
NOT_THERE = "Nothing is known about this."
CANDIDATE = {
    *(("details", names) for names in (("class",), ("class", "open"))),
    *((tag, ("class",)) for tag in ("span", "p", "ol", "li")),
    *((tag, ()) for tag in ("summary", "li", "small")),
    ("a", ("href",)),
    ("span", ("aria-hidden",)),
    ("svg", ("aria-hidden", "class", "focusable", "height", "width")),
    ("rect", ("class", "height", "rx", "width")),
}
"""What a candidate is made of. How many facts are considered, and what signals say of them, differs with the text, so
these are not counted: nothing else may be in there."""

CHOICE = re.compile(r'<select id="space".*?</select>', re.DOTALL)
"""The list of spaces grows with every text; the spaces' own names are tried below."""


class Elements(HTMLParser):
    """Every element with the names of its attributes, and the addresses it leads to; candidates are looked at apart."""

    def __init__(self):
        super().__init__()
        self.found, self.leads, self.comments = Counter(), [], 0
        self._inside = 0

    def handle_starttag(self, tag, attrs):
        held = dict(attrs)
        self.leads += [held[name] for name in ("href", "src", "action", "hx-get", "hx-post") if name in held]
        if tag == "details" and (self._inside or held.get("class", "").startswith("candidate")):
            self._inside += 1
        if self._inside:
            assert (tag, tuple(sorted(held))) in CANDIDATE, (tag, held)
        else:
            self.found[tag, tuple(sorted(held))] += 1

    def handle_endtag(self, tag):
        self._inside -= tag == "details" and self._inside > 0

    def handle_comment(self, data):
        self.comments += 1

    handle_decl = handle_pi = unknown_decl = None


def elements(html):
    parser = Elements()
    parser.handle_decl = lambda decl: None
    parser.handle_pi = lambda data: pytest.fail(f"an instruction: {data}")
    parser.unknown_decl = lambda data: pytest.fail(f"a declaration: {data}")
    parser.feed(CHOICE.sub("", html))
    parser.close()
    assert parser.comments == 0
    assert all(lead.startswith("/") and not lead.startswith("//") for lead in parser.leads if not lead.startswith("#"))
    return parser.found


def asked(kept, facts, question):
    """A question about facts that the judges, for what the text says, let stand beside each other."""
    now = kept.engine.clock.now()
    item = Conflict(
        id=ConflictId(kept.engine.new_id(now)),
        space_id=kept.space,
        kind=ConflictKind.CONTRADICTION,
        fact_ids=tuple(facts),
        question=question,
        opened_at=now,
    )
    with kept.engine.store.write(kept.space) as transaction:
        transaction.put_conflict(item)
    return kept.conflicts()


def shown_everywhere(site, client, space, text):
    """Every page that shows memory text, with this text wherever it can be."""
    kept = site.memory.in_space(space)
    slot = {"subject": f"svc {text}", "attribute": f"port {text}", "qualifiers": {"stage": text}, "cardinality": "one"}
    said = {"topic": text, **slot}
    (one,) = kept.remember(
        f"The port is 8080 {text}", value="8080", kind="constraint", author=f"ines {text}", origin=f"a {text}", **said
    )
    (two,) = kept.remember(f"The port is 9090 {text}", value="9090", author=f"bo {text}", origin=f"b {text}", **said)
    (base,) = kept.remember(f"Base {text}.", subject="base", attribute="x", value=text)
    (rests,) = kept.remember(f"Rests {text}.", subject="rests", attribute="x", value=text, depends_on=base.fact_id)
    (card,) = kept.conflicts() or asked(kept, sorted([one.fact_id, two.fact_id]), f"Is it {text}?")

    def get(path, **query):
        return client.get(link(space, path, **query)).text

    def post(path, **data):
        return client.post(link(space, path), data={"forms": forms, **data})

    pages = {"inbox": get("/"), "fact": get(f"/facts/{one.fact_id}")}
    forms = field(pages["inbox"], "forms")
    post(f"/facts/{base.fact_id}/forget", reason=text)
    pages["search"] = get("/search", q=f"Which port {text}", over="true")
    pages["wrong"] = get("/search", q=text, as_of=text)
    pages["timeline"] = get("/timeline", subject=slot["subject"])
    pages["timeline echo"] = get("/timeline", subject=f"nothing {text}", attribute=text)
    pages["values"] = get("/timeline", subject="base")
    pages["base"], pages["rests"] = get(f"/facts/{base.fact_id}"), get(f"/facts/{rests.fact_id}")
    post(f"/conflicts/{card.conflict.id}", answer="keep", keep=text)
    pages["refusal"] = get("/")
    post(f"/conflicts/{card.conflict.id}", answer="both", keep=two.fact_id, condition=text)
    pages["answered"] = get("/", tab="answered")
    pages["narrowed"] = get(f"/facts/{two.fact_id}")
    pages["health"] = get("/health")
    pages["no fact"] = get(f"/facts/{text.replace('/', '').replace('.', '')}x")
    pages["way in"] = client.get("/login", params={"next": f"/{text}"}).text
    form = field(pages["way in"], "forms")
    pages["way in again"] = client.post("/login", data={"token": text, "forms": form, "next": f"/{text}"}).text
    return pages


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """One server for all texts, each in a space of its own."""
    path = tmp_path_factory.mktemp("xss") / "memory.db"
    kept = Memory.open(path, clock=FrozenClock(NOW), pair_model="off", embedder=WordEmbedder())
    with serving(kept) as site, site.client() as client:
        yield site, client


@pytest.fixture(scope="module")
def expected(place):
    return {name: elements(html) for name, html in shown_everywhere(*place, "the harmless space", HARMLESS).items()}


def test_there_are_as_many_texts_as_the_bar_asks_for():
    assert len(set(HOSTILE)) >= 120


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_F12_no_text_becomes_an_element(place, expected, number):
    pages = shown_everywhere(*place, f"space {number}", HOSTILE[number])
    for name, html in pages.items():
        found = elements(html)
        # Where the name of a subject is nothing but signs, there is no such timeline.
        usual = expected["timeline echo"] if name == "timeline" and NOT_THERE in html else expected[name]
        if name == "health":  # how many figures there are hangs on how the texts were judged
            found, usual = set(found), set(usual)
        assert found == usual, (name, found - usual, usual - found)


def test_F12_the_texts_are_really_there(place):
    """A place that shows nothing would pass the test above."""
    text = "<b>zebra</b>"
    pages = shown_everywhere(*place, "the zebra's space", text)
    silent = {"health", "no fact", "way in", "way in again"}
    assert {name for name, html in pages.items() if not re.search("&lt;b&gt;zebra", html, re.IGNORECASE)} <= silent


def test_F12_the_name_of_a_space_is_text_too():
    names = [text for text in HOSTILE[:60] if text.isprintable() and len(text) < 100]
    with memory(FrozenClock(NOW)) as kept:
        for name in ("harmless", *names):
            kept.in_space(name).remember("It rains.")
        with serving(kept) as site, site.client() as client:
            counts = []
            for name in ("harmless", *names):
                html = client.get(link(name, "/")).text
                counts.append(Counter(tag for tag, _ in re.findall(r"<([a-z0-9]+)([ >])", html)))
                assert html.count("<option") == len(names) + 2
            assert all(count == counts[0] for count in counts)


def test_the_counting_finds_what_is_added():
    assert elements("<p>a</p>") != elements("<p>a<b>x</b></p>")
    assert elements("<p>a</p>") != elements("<p onclick=x>a</p>")
    with pytest.raises(AssertionError):
        elements("<a href='javascript:x'>a</a>")
