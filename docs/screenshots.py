"""How do the pictures of the review page come about? A demo's memory is served, and a browser photographs its pages.

    python docs/screenshots.py

Needs Chromium and the test extra; writes docs/images. The story is the demo's with a few days more, so that there is
something to settle. Nothing else reads this file.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from stilltrue.faces.demo import STORY
from stilltrue.faces.http.access import Tokens
from stilltrue.faces.http.app import build_app
from stilltrue.faces.http.run import listener_on, server_of
from stilltrue.faces.page.app import add_page
from stilltrue.memory import Memory
from stilltrue.testing import FrozenClock

IMAGES: Final = Path(__file__).parent / "images"
WIDE: Final[ViewportSize] = {"width": 1080, "height": 760}
PHONE: Final[ViewportSize] = {"width": 390, "height": 780}
TODAY: Final = "2024-11-04"
LATER: Final = (
    ("2024-10-03", "ines", "We moved things around this week. The search service runs in Frankfurt. Costs went down."),
    ("2024-10-04", "robin", "The search service runs in Dublin."),
    ("2024-10-14", "noor", "I moved to Antwerp."),
    ("2024-10-20", "noor", "I moved to Lisbon."),
    ("2024-10-21", "noor", "From March 2025 I live in Berlin."),
)


def told() -> Memory:
    """The memory that is shown."""
    clock = FrozenClock(_morning(STORY[0].day))
    memory = Memory.open(":memory:", clock=clock)
    for said in STORY:
        clock.set(_morning(said.day))
        memory.remember(said.text, author=said.author, kind=said.kind)
    for day, author, text in LATER:
        clock.set(_morning(day))
        memory.remember(text, author=author)
    clock.set(_morning(TODAY))
    for _ in range(3):
        memory.search("Where does the search service run?")
    return memory


def photographed(browser: Browser, url: str, token: str) -> None:
    """Every picture."""
    phone = browser.new_page(viewport=PHONE, is_mobile=True, has_touch=True, color_scheme="dark")
    sign_in(phone, url, token)
    phone.screenshot(path=IMAGES / "review-phone-dark.png")
    page = browser.new_page(viewport=WIDE)
    sign_in(page, url, token)
    page.keyboard.press("j")
    page.screenshot(path=IMAGES / "review-inbox.png")
    page.goto(f"{url}/timeline?subject=noor&attribute=residence")
    page.screenshot(path=IMAGES / "review-timeline.png")
    page.emulate_media(color_scheme="dark")
    page.goto(f"{url}/search?q=Where+does+Noor+live%3F&as_of=2024-05-01")
    page.locator(".fact-line").first.click()
    page.locator("article.fact").wait_for()
    page.screenshot(path=IMAGES / "review-fact-dark.png")


def sign_in(page: Page, url: str, token: str) -> None:
    """Show the token; the inbox is there then."""
    page.goto(f"{url}/login")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")


def main() -> None:
    """Serve, photograph, stop."""
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if found is None:
        sys.exit("no Chromium on this machine; install its package")
    IMAGES.mkdir(exist_ok=True)
    tokens = Tokens(":memory:")
    token = tokens.issue("petra", "reviewer", spaces=None)
    with told() as memory, sync_playwright() as playwright:
        listener = listener_on("127.0.0.1", 0)
        server = server_of(add_page(build_app(memory, tokens)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.05)
        port = listener.getsockname()[1]
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            photographed(browser, f"http://127.0.0.1:{port}", token)
        finally:
            browser.close()
            server.should_exit = True
            thread.join()
    tokens.close()


def _morning(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T09:00:00+00:00")


if __name__ == "__main__":
    main()
