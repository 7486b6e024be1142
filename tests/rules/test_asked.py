"""Which slots does a question ask about?"""

import pytest

from stilltrue.rules.asked import asked
from stilltrue.rules.attributes import attributes
from stilltrue.rules.lexicons import lexicon

FORMS = lexicon("asked")


@pytest.mark.parametrize("name", sorted(FORMS))
def test_each_form_fires_and_holds_still_as_it_says(name):
    entry = FORMS[name]
    assert entry["why"]
    assert set(entry["attributes"]) <= set(asked(entry["fires"]).attributes)
    assert not set(entry["attributes"]) <= set(asked(entry["still"]).attributes)


@pytest.mark.parametrize("name", sorted(FORMS))
def test_forms_name_attributes_that_extraction_knows(name):
    assert set(FORMS[name]["attributes"]) <= set(attributes())


@pytest.mark.parametrize(
    ("question", "subject", "attribute"),
    [
        ("Where do I live?", "user", "residence"),
        ("Where does my sister Ada live?", "ada", "residence"),
        ("What is the user's diet?", "user", "diet"),
        ("What is my job title?", "user", "job_title"),
        ("Who is Nora's employer?", "nora", "employer"),
        ("What pets do I have?", "user", "pet"),
        ("Which database do we use?", "we", "database"),
        ("What is the cache TTL?", "cache", "ttl"),
        ("What is the rate limit of the auth service?", "auth", "rate_limit"),
        ("How much is our rent?", "we", "rent"),
    ],
)
def test_subject_and_attribute_are_among_those_asked(question, subject, attribute):
    found = asked(question)
    assert subject in found.subjects
    assert attribute in found.attributes


@pytest.mark.parametrize("question", ["", "?", "hello there", "blorf snizzle", "x " * 5000, "\u0000", "where " * 2000])
def test_where_nothing_is_asked_nothing_is_told(question):
    assert asked(question).attributes == ()
