"""Does the page work for a person? In a real browser: by mouse, by keyboard, on a phone, in the dark, with a screen
reader's rules, and without any script.
"""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from tests.faces.page.conftest import chromium
from tests.faces.page.hostile import HOSTILE

BROWSER = chromium()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine; install it with its package")

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
SIZES = [pytest.param(WIDE, id="1280"), pytest.param(PHONE, id="390")]
SCHEMES = ["light", "dark"]
PAGES = [
    "/",
    "/?tab=answered",
    "/search",
    "/search?q=Where+did+Noor+use+to+live%3F",
    "/timeline?subject=noor",
    "/health",
]
GRAVE = {"serious", "critical"}


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield running
        running.close()


class Window:
    """A page that is signed in, and what its console said."""

    def __init__(self, browser, site, token=None, **options):
        self.site, self.said = site, []
        self.context = browser.new_context(base_url=site.url, **options)
        self.page = self.context.new_page()
        self.page.on("console", lambda line: line.type in ("error", "warning") and self.said.append(line.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.set_default_timeout(20_000)
        self.page.goto("/login")
        self.page.get_by_label("Token").fill(token or site.token)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.context.close()
        assert kind is not None or self.said == []

    @property
    def cards(self):
        return self.page.locator("[data-card]")

    def card(self, word):
        return self.page.locator("[data-card]", has_text=word)

    def fits(self):
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        return wide <= self.page.viewport_size["width"]


def status(site, word):
    everything = (one for name in ("open", "answered", "dismissed") for one in site.memory.conflicts(name))
    return next(one.conflict for one in everything if word in one.conflict.question)


def served(site, question):
    return [fact.text for fact in site.memory.search(question, limit=2).results]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
def test_B12_the_whole_review_by_mouse(browser, site, size, scheme):
    with Window(browser, site, viewport=size, color_scheme=scheme) as window:
        page = window.page
        expect(window.cards).to_have_count(3)
        card = window.card("Frankfurt")
        card.get_by_text("Source, in full").first.click()
        expect(card.locator(".sources[open] mark")).to_have_text("The search service runs in Frankfurt.")
        assert window.fits()
        card.get_by_role("button", name="Keep B").click()
        expect(window.cards).to_have_count(2)
        expect(page.get_by_role("status")).to_contain_text("Kept.")
        assert status(site, "Frankfurt").answer == "keep"
        page.get_by_role("button", name="Undo").click()
        expect(window.cards).to_have_count(3)
        expect(page.get_by_role("status")).to_contain_text("Taken back.")
        assert status(site, "Frankfurt").status == "open"
        card.get_by_text("Both true").click()
        card.get_by_label("Its condition").fill("for visitors from Europe")
        card.get_by_role("button", name="Both are true").click()
        expect(window.cards).to_have_count(2)
        assert "[condition: for visitors from Europe]" in status(site, "Frankfurt").reason
        window.card("Kotlin").get_by_role("button", name="Dismiss").click()
        expect(window.cards).to_have_count(1)
        assert status(site, "kotlin").status == "dismissed"
        page.get_by_role("link", name="Answered").click()
        expect(window.cards).to_have_count(2)
        assert window.fits()
        window.card("Kotlin").get_by_role("button", name="Undo").click()
        expect(page.get_by_role("status")).to_contain_text("Taken back.")
        assert status(site, "kotlin").status == "open"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
def test_B12_the_whole_review_by_keyboard(browser, site, size, scheme):
    with Window(browser, site, viewport=size, color_scheme=scheme) as window:
        page, keys = window.page, window.page.keyboard
        order = [one.conflict.id for one in site.memory.conflicts()]
        keys.press("j")
        expect(page.locator(f"#c-{order[0]}")).to_be_focused()
        keys.press("j")
        expect(page.locator(f"#c-{order[1]}")).to_be_focused()
        keys.press("s")
        expect(page.locator(f"#c-{order[1]} .sources[open]")).to_have_count(2)
        keys.press("b")
        expect(window.cards).to_have_count(2)
        expect(page.locator(f"#c-{order[2]}")).to_be_focused()
        assert site.memory.conflicts("answered")[0].conflict.id == order[1]
        keys.press("u")
        expect(window.cards).to_have_count(3)
        expect(page.locator(f"#c-{order[1]}")).to_be_focused()
        keys.press("t")
        field = page.locator(f"#c-{order[1]} input[name=condition]")
        expect(field).to_be_focused()
        keys.type("only at night")
        assert len(site.memory.conflicts()) == 3, "letters typed into a field are no commands"
        keys.press("Enter")
        expect(window.cards).to_have_count(2)
        assert "only at night" in site.memory.conflicts("answered")[0].conflict.reason
        keys.press("k")
        keys.press("x")
        expect(window.cards).to_have_count(1)
        assert site.memory.conflicts("dismissed")[0].conflict.id == order[0]
        keys.press("o")
        expect(page.get_by_role("heading", level=1)).to_have_text("Answered")
        assert window.fits()


def test_B12_the_other_answers_have_keys_and_escape_leaves_them(browser, site):
    with Window(browser, site, viewport=WIDE) as window:
        page, keys = window.page, window.page.keyboard
        first = site.memory.conflicts()[0].conflict.id
        for key in ("w", "n", "t"):
            keys.press("j")
            keys.press("k")
            keys.press(key)
            expect(page.locator(f"#c-{first} .answers details[open]")).to_have_count(1)
            keys.press("Escape")
            expect(page.locator(f"#c-{first} .answers details[open]")).to_have_count(0)
            expect(page.locator(f"#c-{first}")).to_be_focused()
        keys.press("w")
        expect(page.locator(f"#c-{first} .answers details[open] :focus")).to_have_count(1)
        keys.press("Control+a")
        keys.type("We deploy on any day but Friday.")
        keys.press("Tab")
        keys.press("Enter")
        expect(window.cards).to_have_count(2)
        assert "We deploy on any day but Friday." in served(site, "We deploy on any day but Friday.")


def test_B12_single_keys_can_be_switched_off(browser, site):
    with Window(browser, site, viewport=WIDE) as window:
        page, keys = window.page, window.page.keyboard
        keys.press("?")
        page.get_by_label("Single keys do this").uncheck()
        page.get_by_role("button", name="Close").click()
        keys.press("x")
        keys.press("a")
        page.reload()
        keys.press("x")
        expect(window.cards).to_have_count(3)
        assert len(site.memory.conflicts()) == 3


def test_B12_everything_works_without_script(browser, site):
    with Window(browser, site, viewport=PHONE, java_script_enabled=False) as window:
        page = window.page
        window.card("Frankfurt").get_by_role("button", name="Keep A").click()
        assert window.cards.count() == 2
        page.get_by_role("button", name="Undo").click()
        assert window.cards.count() == 3
        page.goto("/search")
        page.get_by_label("Question or words").fill("Where does Noor live?")
        page.get_by_label("True on").fill("2024-05-01")
        page.get_by_role("button", name="Search").click()
        expect(page.locator(".lines .words").first).to_have_text("I moved to Antwerp.")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Token")).to_be_visible()


def test_C8_the_slider_moves_through_time(browser, site):
    with Window(browser, site, viewport=WIDE) as window:
        page = window.page
        page.goto("/search?q=Where+does+Noor+live%3F")
        expect(page.locator(".lines .words").first).to_have_text("I moved to Lisbon.")
        slider = page.get_by_label("True on, slider")
        slider.focus()
        slider.evaluate("(it, day) => { it.value = day; }", 19844)  # 2024-05-01
        slider.press("ArrowRight")
        expect(page.locator(".lines .words").first).to_have_text("I moved to Antwerp.")
        expect(page.get_by_label("True on", exact=False).first).to_have_value("2024-05-02")
        expect(slider).to_be_focused()


def test_F12_a_fact_can_be_followed_forgotten_and_brought_back(browser, site):
    with Window(browser, site, viewport=PHONE) as window:
        page = window.page
        page.keyboard.press("/")
        expect(page.get_by_label("Question or words")).to_be_visible()
        page.get_by_label("Question or words").fill("What is Noor allergic to?")
        page.keyboard.press("Enter")
        page.locator(".fact-line").first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("allergic")
        assert window.fits()
        page.get_by_text("Forget this").click()
        page.get_by_role("button", name="Forget", exact=True).click()
        expect(page.get_by_role("status")).to_contain_text("Forgotten.")
        page.get_by_role("status").get_by_role("button", name="Undo").click()
        expect(page.locator(".fact > .kicker")).to_contain_text("current")
        page.get_by_role("link", name=re.compile("timeline of")).click()
        expect(page.locator("svg.chart")).to_have_count(1)
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_contain_text("allergic")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
def test_F12_no_serious_barrier_on_any_page_and_none_scrolls_sideways(browser, site, size, scheme):
    fact = site.memory.search("Where does Noor live?", limit=1).results[0].id
    dismissed = site.memory.conflicts()[0].conflict.id
    site.memory.resolve(dismissed, "dismiss")
    options = {"viewport": size, "color_scheme": scheme, "bypass_csp": True}  # the rules come as a script of their own
    with Window(browser, site, **options) as window:
        for address in (*PAGES, f"/facts/{fact}"):
            window.page.goto(address)
            window.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert window.fits(), address
            check(window.page, address)
        window.page.goto("/")
        window.page.keyboard.press("?")
        check(window.page, "keys")
        window.page.get_by_role("button", name="Close").click()
        window.page.get_by_role("button", name="Dismiss").first.click()
        expect(window.page.get_by_role("status")).to_contain_text("Dismissed.")
        check(window.page, "notice")
        window.page.get_by_role("button", name="Sign out").click()
        check(window.page, "way in")


def check(page, where):
    found = [one for one in Axe().run(page).response["violations"] if one["impact"] in GRAVE]
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == [], where


def test_F12_no_text_runs_as_a_script(browser, site):
    """The parser of a real browser is not Python's: here every text is shown, and none of them acts."""
    for number, text in enumerate(HOSTILE):
        site.memory.remember(f"Note {number} {text}", subject="note", attribute=f"n {text}", value=text, author=text)
    with Window(browser, site, viewport=WIDE) as window:
        tags = {
            "SCRIPT": 2,
            "STYLE": 0,
            "IFRAME": 0,
            "IMG": 0,
            "BASE": 0,
            "OBJECT": 0,
            "EMBED": 0,
            "VIDEO": 0,
            "META": 4,
        }
        for address in ("/timeline?subject=note", "/search?q=note&over=true", "/"):
            window.page.goto(address)
            window.page.wait_for_timeout(300)
            for tag, count in tags.items():
                assert window.page.locator(tag.lower()).count() == count, (address, tag)
