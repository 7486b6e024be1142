-- What asking a language model has cost each space, day by day (UTC), for budgets and statistics.
CREATE TABLE llm_usage (
    space_id   TEXT NOT NULL REFERENCES spaces (space_id),
    day        TEXT NOT NULL,
    calls      INTEGER NOT NULL CHECK (calls >= 0),
    tokens     INTEGER NOT NULL CHECK (tokens >= 0),
    cache_hits INTEGER NOT NULL CHECK (cache_hits >= 0),
    PRIMARY KEY (space_id, day)
) STRICT;
