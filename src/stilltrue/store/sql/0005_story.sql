-- How each reading of a space's story went: what it read, what came of it, and what failed. No words of memory.
CREATE TABLE story_runs (
    space_id TEXT NOT NULL REFERENCES spaces (space_id),
    run_id   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    seed     TEXT NOT NULL,                 -- what was sampled can be sampled again
    facts    INTEGER NOT NULL,
    told     INTEGER NOT NULL,
    chapters INTEGER NOT NULL,
    found    INTEGER NOT NULL,
    opened   INTEGER NOT NULL,
    known    INTEGER NOT NULL,              -- asked before, nothing new
    dropped  INTEGER NOT NULL,              -- broke a rule
    failure  TEXT NOT NULL,
    PRIMARY KEY (space_id, run_id)
) STRICT;
