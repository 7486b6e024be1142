"""Does a talk end what it was about? Commands, lists of work, figures without a name, fixes: talks of no session."""

import pytest


def current(story, query):
    return [result.text for result in story.memory.search(query).results]


def tell(story, *turns):
    """(day, role, text) in order."""
    for minute, (day, role, text) in enumerate(turns):
        story.memory.remember(
            text, said_at=f"2024-03-{day:02}T10:{minute:02}:00Z", role=role, author=None if role == "user" else role
        )


def test_a_newer_command_for_one_task(story):
    tell(
        story,
        (1, "assistant", "**Build the docs:**\n```bash\nmkdocs build\n```\n\n**Lint:**\n```sh\nruff check .\n```"),
        (9, "assistant", "Build the docs with: `zensical build --strict`"),
    )
    served = current(story, "How do I build the docs?")
    assert any("zensical build" in text for text in served)
    assert not any("mkdocs build" in text for text in served)
    assert any("ruff check ." in text for text in current(story, "lint command"))


def test_commands_of_a_program_that_is_left(story):
    tell(
        story,
        (1, "assistant", "**Install dependencies:**\n```bash\npoetry install --sync\n```"),
        (9, "user", "We switched from Poetry to uv."),
    )
    assert not any("poetry install" in text for text in current(story, "How do I install dependencies?"))


def test_lists_of_work_meet(story):
    first = "**Done:**\n- Import (CSV, XLSX)\n\n**In progress:**\n- Invoice PDF export\n\n**Todo:**\n- SSO login"
    second = "**Billing — complete:**\n- Invoice export (A4, letter)\n\n**Billing — pending:**\n- SSO login (SAML)"
    tell(story, (1, "assistant", first), (20, "assistant", second))
    export = current(story, "Is the invoice export done?")
    assert any("Invoice export (A4, letter): complete" in text for text in export)
    assert not any("Invoice PDF export: in progress" in text for text in export)
    assert any("SSO login: todo" in text for text in current(story, "SSO login"))
    assert any("Import (CSV, XLSX): done" in text for text in current(story, "CSV import"))


def test_headings_of_one_message_group_and_replace_nothing(story):
    tell(story, (1, "assistant", "**Billing — complete:**\n- Invoices\n\n**Billing — pending:**\n- Reminders"))
    served = current(story, "billing")
    assert any("Billing — complete" in text for text in served)
    assert any("Billing — pending" in text for text in served)
    assert story.memory.conflicts() == ()


def test_items_of_one_list_are_different_ones(story):
    tell(story, (1, "assistant", "**In progress:**\n- Search filters\n\n**Done:**\n- Search"))
    served = current(story, "search")
    assert any("Search filters: in progress" in text for text in served)
    assert any("Search: done" in text for text in served)


def test_work_does_not_go_back_under_another_name(story):
    tell(
        story,
        (1, "assistant", "**Done:**\n- User login (password)"),
        (9, "assistant", "**Pending:**\n- Login with passkeys for the user"),
    )
    assert any("User login (password): done" in text for text in current(story, "user login"))


@pytest.mark.parametrize("news", ["Down to 800 ms.", "This drops from 4 s to 800 ms.", "4 s → 800 ms, a fifth"])
def test_a_figure_without_a_name(story, news):
    tell(story, (1, "user", "The report endpoint takes 4 seconds."), (1, "assistant", "Cache it."), (1, "user", news))
    served = current(story, "How long does the report endpoint take?")
    assert any("800 ms" in text for text in served)
    assert not any("takes 4 seconds" in text for text in served)


def test_a_fix_ends_what_the_same_speaker_reported(story):
    tell(
        story,
        (1, "user", "The nightly job is failing with exit code 137. We run it on Hetzner."),
        (1, "assistant", "If the heap is too small, the worker crashes. Raise it to 4 GB."),
        (1, "user", "That fixed it."),
    )
    served = current(story, "nightly job failing, worker, Hetzner")
    assert not any("failing with exit code" in text for text in served)
    assert any("Hetzner" in text for text in served)
    assert any("If the heap is too small" in text for text in served)


def test_an_answer_takes_up_and_ends_nothing(story):
    tell(
        story,
        (1, "user", "Keep answers short: no filler, no long openings."),
        (1, "assistant", "Noted:\n- Short answers, no openings\n- Never any filler"),
    )
    assert any("Keep answers short" in text for text in current(story, "How long should answers be?"))
    assert story.memory.conflicts() == ()


def test_what_is_said_in_code_is_a_name(story):
    tell(
        story,
        (1, "assistant", "- `PUT /rooms/{id}` — rename room\n- `POST /rooms` — add room"),
        (2, "assistant", "- `DELETE /rooms/{id}/guests` — remove guest from room"),
    )
    served = current(story, "endpoints of rooms")
    for what in ("rename room", "add room"):
        assert any(what in text for text in served)
