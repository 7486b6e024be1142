"""The story that the questions of `ask.json` are put to, told through the public API while the clock stands still."""

from datetime import UTC, datetime

TODAY = datetime(2025, 6, 10, 12, tzinfo=UTC)

TOLD = (
    ("2024-01-05", "I live in Portland."),
    ("2025-05-04", "I moved to Seattle on 3 May 2025."),
    ("2025-06-01", "In 2019 I lived in Paris."),
    ("2025-06-01", "I plan to move to Lisbon next year."),
    ("2025-05-01", "From 1 September I will work at Globex."),
    ("2025-01-01", "I'm allergic to peanuts."),
    ("2025-02-01", "I'm also allergic to cats."),
    ("2025-01-01", "My brother lives in Rome."),
    ("2025-01-01", "Mara's sister Ada works at Acme."),
    ("2025-05-01", "Ben said that Ada got married."),
    ("2025-01-01", "Mara's dog is called Rex."),
    ("2025-03-02", "Mara prefers decaf."),
    ("2025-06-01", "Mara no longer smokes."),
    ("2025-05-01", "The rate limit of the auth service is 1,000 requests per second."),
    ("2025-01-01", "We deploy on Fridays."),
    ("2024-02-01", "We use MySQL."),
    ("2025-01-01", "We switched from MySQL to Postgres."),
    ("2025-01-01", "We have 14 microservices."),
    ("2025-01-01", "The staging server is called Juno."),
    ("2025-01-01", "Never push to main without a review."),
    ("2025-06-01", "The dentist appointment is on 3 July 2025 at 10:00."),
)
