"""Which sentences report a trouble, go on about it, or say that it is over? And what stands in the way of what?"""

import pytest

from stilltrue.rules.troubles import (
    hindrance,
    is_relief,
    is_resolution,
    is_symptom,
    reports_slowness,
    reports_trouble,
)


@pytest.mark.parametrize(
    "text",
    [
        "The nightly job is failing on the second shard",
        "We're getting deadlocks in the ledger",
        "Login returns the wrong locale and it is broken on mobile",
        "The export has been stuck since noon",
        "The search page is sluggish",
    ],
)
def test_reports(text):
    assert reports_trouble(text)


@pytest.mark.parametrize(
    "text",
    [
        "If the queue is full, the request fails",
        "When a shard is down, errors are logged",
        "No errors so far",
        "Errors go to Loki",
        "We never had a timeout",
    ],
)
def test_is_no_report(text):
    assert not reports_trouble(text)


@pytest.mark.parametrize(
    "text",
    [
        "That fixed it!",
        "This solved the problem.",
        "Works now, thanks",
        "No more deadlocks since.",
        "The timeouts are gone.",
        "Confirmed fix.",
        "It's working now.",
        "Much faster now.",
        "That did the trick.",
    ],
)
def test_resolves(text):
    assert is_resolution(text)


@pytest.mark.parametrize(
    "text",
    [
        "That fixed price is 5 EUR",
        "No more meat for me",
        "This works with Postgres 14 and later",
        "It worked for two years at Bosch",
        "A great improvement over REST is streaming",
        "That helped me to find a flat in Oslo",
    ],
)
def test_resolves_nothing(text):
    assert not is_resolution(text)


def test_relief_is_about_slowness():
    assert is_relief("Way faster now")
    assert not is_relief("That fixed it.")
    assert reports_slowness("Checkout is slow")
    assert not reports_slowness("Checkout is broken")


def test_symptoms():
    assert is_symptom("Invoices are ending up in the wrong month")
    assert is_symptom("Rows keep disappearing")
    assert not is_symptom("We are using Kafka")


def test_hindrances():
    assert hindrance("The SSO work is our biggest blocker right now") == "The SSO work"
    assert hindrance("Port 22 is blocked") is None
