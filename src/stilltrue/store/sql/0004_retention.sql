-- What retention needs to know beside a fact: when its tier changed, on how many days it was served, which passes were
-- made over the space, and which facts rest on something that fell.
ALTER TABLE facts ADD COLUMN moved_at INTEGER;

ALTER TABLE usage ADD COLUMN days INTEGER NOT NULL DEFAULT 1;

CREATE TABLE passes (
    space_id TEXT NOT NULL REFERENCES spaces (space_id),
    batch_id TEXT NOT NULL,                 -- all that the pass changed is one batch
    at       INTEGER NOT NULL,
    reached  TEXT NOT NULL,                 -- the last fact looked at: where a pass that was cut short goes on
    done     INTEGER NOT NULL,
    PRIMARY KEY (space_id, batch_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX passes_in_order ON passes (space_id, at);

CREATE INDEX fact_links_recheck ON fact_links (space_id, kind, to_id) WHERE kind = 'recheck';
