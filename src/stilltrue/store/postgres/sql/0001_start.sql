-- The first schema on PostgreSQL: the tables of store/sql (files 0001 to 0005), by the same names and rules.
--
-- space_id is NOT NULL and comes first in every key and index, so the same tables can be partitioned by hash of the space
-- or distributed by it; times are whole microseconds since 1970 UTC, given as parameters; lists and receipts are JSON
-- text. Texts are compared byte by byte, as SQLite does (a `string` is a text COLLATE "C"). References are checked at
-- commit. `rowid` gives rows that are written in one microsecond their order; SQLite has it by itself.
-- A CREATE TABLE ends with ");" at the start of a line: store.postgres.schema partitions by that.

CREATE DOMAIN string AS text COLLATE "C";

CREATE SEQUENCE rows_written;

-- Which spaces there are: all that is known across spaces.
CREATE TABLE space_names (
    space_id string NOT NULL PRIMARY KEY,
    rowid    bigint NOT NULL DEFAULT nextval('rows_written')
);

CREATE TABLE spaces (
    space_id   string NOT NULL PRIMARY KEY,
    number     bigint NOT NULL,             -- SQLite's full-text index needs it; here every space has number 1
    revision   bigint NOT NULL,
    last_stamp bigint NOT NULL,
    next_doc   bigint NOT NULL,
    next_seq   bigint NOT NULL,
    settings   string NOT NULL DEFAULT '{}'
);

CREATE TABLE members (
    space_id string NOT NULL REFERENCES spaces (space_id),
    member   string NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (space_id, member)
);

CREATE TABLE episodes (
    space_id    string NOT NULL REFERENCES spaces (space_id),
    episode_id  string NOT NULL,
    text        string NOT NULL,
    said_at     bigint NOT NULL,
    recorded_at bigint NOT NULL,
    author      string,
    topic       string,
    role        string,
    origin      string,
    erased      smallint NOT NULL DEFAULT 0,
    rowid       bigint NOT NULL DEFAULT nextval('rows_written'),
    PRIMARY KEY (space_id, episode_id)
);

CREATE INDEX episodes_by_origin ON episodes (space_id, origin) WHERE origin IS NOT NULL;

CREATE TABLE facts (
    space_id         string NOT NULL,
    fact_id          string NOT NULL,
    doc              bigint NOT NULL,
    words            bigint NOT NULL,
    text             string NOT NULL,
    exact_hash       string NOT NULL,
    normal_hash      string NOT NULL,
    subject          string NOT NULL,
    attribute        string,
    qualifiers       string NOT NULL,
    value_text       string,
    value_type       string,
    value_key        string,
    value_number     double precision,
    value_unit       string,
    value_bound      string,
    cardinality      string NOT NULL,
    modality         string NOT NULL,
    negated          smallint NOT NULL,
    kind             string NOT NULL,
    valid_from       bigint,
    valid_until      bigint,
    said_at          bigint NOT NULL,
    dated            smallint NOT NULL,
    author           string,
    topic            string,
    leaves           string NOT NULL,
    recorded_at      bigint NOT NULL,
    episode_id       string NOT NULL,
    importance       double precision NOT NULL,
    confidence       double precision NOT NULL,
    trust            double precision NOT NULL,
    category         string NOT NULL,
    stability        double precision NOT NULL,
    last_seen_at     bigint NOT NULL,
    seen_count       bigint NOT NULL,
    tier             string NOT NULL,
    added_revision   bigint NOT NULL,
    changed_revision bigint NOT NULL,
    erased           smallint NOT NULL DEFAULT 0,
    moved_at         bigint,
    PRIMARY KEY (space_id, fact_id),
    FOREIGN KEY (space_id, episode_id) REFERENCES episodes (space_id, episode_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE UNIQUE INDEX facts_by_doc ON facts (space_id, doc);
CREATE INDEX facts_by_slot ON facts (space_id, subject, attribute);
CREATE INDEX facts_by_exact_hash ON facts (space_id, exact_hash);
CREATE INDEX facts_by_normal_hash ON facts (space_id, normal_hash);
CREATE INDEX facts_by_change ON facts (space_id, changed_revision);

CREATE TABLE beliefs (
    space_id        string NOT NULL,
    fact_id         string NOT NULL,
    known_from      bigint NOT NULL,
    known_until     bigint CHECK (known_until > known_from),
    valid_from      bigint,
    valid_until     bigint CHECK (valid_until >= valid_from),
    retirement      string,
    superseded_by   string,
    contradicted_by string,
    PRIMARY KEY (space_id, fact_id, known_from),
    FOREIGN KEY (space_id, fact_id) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (space_id, superseded_by) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (space_id, contradicted_by) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE UNIQUE INDEX beliefs_open ON beliefs (space_id, fact_id) WHERE known_until IS NULL;

CREATE TABLE fact_links (
    space_id string NOT NULL,
    from_id  string NOT NULL,
    kind     string NOT NULL,
    to_id    string NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (space_id, from_id, kind, to_id),
    FOREIGN KEY (space_id, from_id) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (space_id, to_id) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX fact_links_by_target ON fact_links (space_id, to_id);
CREATE INDEX fact_links_recheck ON fact_links (space_id, kind, to_id) WHERE kind = 'recheck';

CREATE TABLE sources (
    space_id    string NOT NULL,
    fact_id     string NOT NULL,
    episode_id  string NOT NULL,
    span_start  bigint NOT NULL,
    span_end    bigint NOT NULL,
    quote       string NOT NULL,
    said_at     bigint NOT NULL,
    held_from   bigint,
    author      string,
    independent smallint NOT NULL,
    rowid       bigint NOT NULL DEFAULT nextval('rows_written'),
    PRIMARY KEY (space_id, fact_id, episode_id, span_start, span_end),
    FOREIGN KEY (space_id, fact_id) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (space_id, episode_id) REFERENCES episodes (space_id, episode_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX sources_by_episode ON sources (space_id, episode_id);

-- `vector` is exact (little-endian float32, length 1) and lies beside the row; `half` is what indexes and scans compare.
-- What is believed of the fact stands here too, so that the filter is answered while the index is walked.
CREATE TABLE vectors (
    space_id      string NOT NULL,
    fact_id       string NOT NULL,
    model_version string NOT NULL,
    revision      bigint NOT NULL,
    doc           bigint NOT NULL,          -- the fact's: older first among equals
    served        smallint NOT NULL,        -- 1: believed, and not corrected
    valid_from    bigint,
    valid_until   bigint,
    half          halfvec NOT NULL,
    vector        bytea NOT NULL,
    PRIMARY KEY (space_id, fact_id),
    FOREIGN KEY (space_id, fact_id) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED
);

ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL;

-- Which facts hold a word: the index of words (store.postgres.words says why it is a table).
CREATE TABLE fact_words (
    space_id string NOT NULL,
    word     string NOT NULL,
    doc      bigint NOT NULL,
    PRIMARY KEY (space_id, word, doc)
);

CREATE TABLE judgements (
    space_id      string NOT NULL,
    low_id        string NOT NULL,
    high_id       string NOT NULL CHECK (high_id > low_id),
    existing_id   string NOT NULL,
    relation      string,
    confidence    double precision,
    conflict      double precision NOT NULL,
    judgement     string NOT NULL,
    judge_version string NOT NULL,
    PRIMARY KEY (space_id, low_id, high_id),
    FOREIGN KEY (space_id, low_id) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (space_id, high_id) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX judgements_undecided ON judgements (space_id, low_id, high_id) WHERE relation IS NULL;
CREATE INDEX judgements_by_high ON judgements (space_id, high_id);

CREATE TABLE conflicts (
    space_id    string NOT NULL REFERENCES spaces (space_id),
    conflict_id string NOT NULL,
    fact_set    string NOT NULL,
    kind        string NOT NULL,
    question    string NOT NULL,
    opened_at   bigint NOT NULL,
    status      string NOT NULL,
    closed_at   bigint,
    answer      string,
    kept        string,
    reason      string NOT NULL,
    PRIMARY KEY (space_id, conflict_id),
    UNIQUE (space_id, fact_set)
);

CREATE TABLE conflict_facts (
    space_id    string NOT NULL,
    conflict_id string NOT NULL,
    fact_id     string NOT NULL,
    PRIMARY KEY (space_id, conflict_id, fact_id),
    FOREIGN KEY (space_id, conflict_id) REFERENCES conflicts (space_id, conflict_id) ON DELETE CASCADE,
    FOREIGN KEY (space_id, fact_id) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX conflict_facts_by_fact ON conflict_facts (space_id, fact_id);

CREATE TABLE decisions (
    space_id    string NOT NULL REFERENCES spaces (space_id),
    decision_id string NOT NULL,
    seq         bigint NOT NULL,
    batch_id    string NOT NULL,
    action      string NOT NULL,
    text        string NOT NULL,
    decided_at  bigint NOT NULL,
    fact_id     string,
    targets     string NOT NULL,
    conflict_id string,
    episode_id  string,
    author      string,
    receipt     string NOT NULL,
    proposal    smallint NOT NULL,
    PRIMARY KEY (space_id, decision_id)
);

CREATE UNIQUE INDEX decisions_in_order ON decisions (space_id, seq);
CREATE INDEX decisions_by_batch ON decisions (space_id, batch_id);

CREATE TABLE decision_facts (
    space_id    string NOT NULL,
    fact_id     string NOT NULL,
    decision_id string NOT NULL,
    role        string NOT NULL,
    PRIMARY KEY (space_id, fact_id, decision_id, role),
    FOREIGN KEY (space_id, decision_id) REFERENCES decisions (space_id, decision_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE history (
    space_id    string NOT NULL,
    seq         bigint NOT NULL,
    decision_id string NOT NULL,
    batch_id    string NOT NULL,
    at          bigint NOT NULL,
    kind        string NOT NULL,
    fact_id     string,
    conflict_id string,
    reason      string NOT NULL,
    payload     string NOT NULL,
    erased      smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (space_id, seq),
    FOREIGN KEY (space_id, decision_id) REFERENCES decisions (space_id, decision_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX history_by_fact ON history (space_id, fact_id);
CREATE INDEX history_by_decision ON history (space_id, decision_id);
CREATE INDEX history_by_batch ON history (space_id, batch_id);

CREATE TABLE jobs (
    space_id    string NOT NULL REFERENCES spaces (space_id),
    job_id      string NOT NULL,
    kind        string NOT NULL,
    payload     string NOT NULL,
    due_at      bigint NOT NULL,
    attempts    bigint NOT NULL,
    lease_owner string,
    lease_until bigint,
    failure     string NOT NULL DEFAULT '',
    failed      smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (space_id, job_id)
);

CREATE INDEX jobs_by_due ON jobs (space_id, due_at);

CREATE TABLE tombstones (
    space_id      string NOT NULL REFERENCES spaces (space_id),
    tombstone_key string NOT NULL,
    kind          string NOT NULL,
    subject       string,
    attribute     string,
    value_key     string,
    text_hash     string,
    at            bigint NOT NULL,
    PRIMARY KEY (space_id, tombstone_key)
);

CREATE INDEX tombstones_by_subject ON tombstones (space_id, subject);
CREATE INDEX tombstones_by_text ON tombstones (space_id, text_hash);

CREATE TABLE usage (
    space_id         string NOT NULL,
    fact_id          string NOT NULL,
    recalls          bigint NOT NULL,
    last_recalled_at bigint NOT NULL,
    days             bigint NOT NULL DEFAULT 1,
    PRIMARY KEY (space_id, fact_id),
    FOREIGN KEY (space_id, fact_id) REFERENCES facts (space_id, fact_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE llm_cache (
    space_id  string NOT NULL REFERENCES spaces (space_id),
    cache_key string NOT NULL,
    reply     string NOT NULL,
    stored_at bigint NOT NULL,
    PRIMARY KEY (space_id, cache_key)
);

CREATE TABLE llm_usage (
    space_id   string NOT NULL REFERENCES spaces (space_id),
    day        string NOT NULL,
    calls      bigint NOT NULL CHECK (calls >= 0),
    tokens     bigint NOT NULL CHECK (tokens >= 0),
    cache_hits bigint NOT NULL CHECK (cache_hits >= 0),
    PRIMARY KEY (space_id, day)
);

CREATE TABLE passes (
    space_id string NOT NULL REFERENCES spaces (space_id),
    batch_id string NOT NULL,
    at       bigint NOT NULL,
    reached  string NOT NULL,
    done     smallint NOT NULL,
    PRIMARY KEY (space_id, batch_id)
);

CREATE INDEX passes_in_order ON passes (space_id, at);

CREATE TABLE story_runs (
    space_id string NOT NULL REFERENCES spaces (space_id),
    run_id   string NOT NULL,
    at       bigint NOT NULL,
    seed     string NOT NULL,
    facts    bigint NOT NULL,
    told     bigint NOT NULL,
    chapters bigint NOT NULL,
    found    bigint NOT NULL,
    opened   bigint NOT NULL,
    known    bigint NOT NULL,
    dropped  bigint NOT NULL,
    failure  string NOT NULL,
    rowid    bigint NOT NULL DEFAULT nextval('rows_written'),
    PRIMARY KEY (space_id, run_id)
);

-- What never changes and never goes: as in store/sql, for whoever writes past the program.

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'raise_exception';
END $$;

CREATE TRIGGER episodes_never_change BEFORE UPDATE ON episodes FOR EACH ROW WHEN (NEW.erased = 0)
    EXECUTE FUNCTION refuse('an episode never changes; it can only be erased');

CREATE TRIGGER episodes_never_go BEFORE DELETE ON episodes FOR EACH ROW
    EXECUTE FUNCTION refuse('an episode is never deleted; it can only be erased');

CREATE TRIGGER facts_statement_never_changes BEFORE UPDATE OF
    space_id, fact_id, doc, words, text, exact_hash, normal_hash, subject, attribute, qualifiers, value_text, value_type,
    value_key, value_number, value_unit, value_bound, cardinality, modality, negated, kind, valid_from, valid_until,
    said_at, dated, author, topic, leaves, recorded_at, episode_id, added_revision
    ON facts FOR EACH ROW WHEN (NEW.erased = 0)
    EXECUTE FUNCTION refuse('a statement never changes; it can only be erased');

CREATE TRIGGER facts_never_go BEFORE DELETE ON facts FOR EACH ROW
    EXECUTE FUNCTION refuse('a fact is never deleted; it can only be erased');

CREATE TRIGGER beliefs_are_closed_never_rewritten BEFORE UPDATE ON beliefs FOR EACH ROW
    WHEN (OLD.known_until IS NOT NULL OR NEW.known_until IS NULL OR
        (NEW.space_id, NEW.fact_id, NEW.known_from, NEW.valid_from, NEW.valid_until, NEW.retirement, NEW.superseded_by,
         NEW.contradicted_by)
        IS DISTINCT FROM
        (OLD.space_id, OLD.fact_id, OLD.known_from, OLD.valid_from, OLD.valid_until, OLD.retirement, OLD.superseded_by,
         OLD.contradicted_by))
    EXECUTE FUNCTION refuse('a belief is closed and followed by another, never rewritten');

CREATE FUNCTION refuse_older() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.known_until IS NOT NULL
        OR OLD.known_from IS DISTINCT FROM (SELECT last_stamp FROM spaces WHERE spaces.space_id = OLD.space_id)
    THEN
        RAISE EXCEPTION 'a belief is closed, never deleted';
    END IF;
    RETURN OLD;
END $$;

-- What one transaction opens and takes back again was never believed at any instant; anything older stays.
CREATE TRIGGER beliefs_never_go BEFORE DELETE ON beliefs FOR EACH ROW EXECUTE FUNCTION refuse_older();

CREATE TRIGGER history_never_changes BEFORE UPDATE ON history FOR EACH ROW WHEN (NEW.erased = 0)
    EXECUTE FUNCTION refuse('history is only added to');

CREATE TRIGGER history_never_goes BEFORE DELETE ON history FOR EACH ROW
    EXECUTE FUNCTION refuse('history is only added to');
