-- What should never be found in any store: each comment is the sentence printed for what its query yields ({0}).

-- fact {0} has more than one open belief
SELECT fact_id FROM beliefs WHERE known_until IS NULL GROUP BY space_id, fact_id HAVING count(*) > 1;

-- fact {0} has beliefs whose known times overlap
SELECT a.fact_id FROM beliefs a JOIN beliefs b ON b.space_id = a.space_id AND b.fact_id = a.fact_id AND b.known_from
    > a.known_from WHERE a.known_until IS NULL OR a.known_until > b.known_from;

-- fact {0} has a belief that was known at no instant or is valid backwards
SELECT fact_id FROM beliefs WHERE known_until <= known_from OR valid_until < valid_from;

-- fact {0} has a belief stamped later than its space's last write
SELECT b.fact_id FROM beliefs b JOIN spaces s ON s.space_id = b.space_id WHERE b.known_from > s.last_stamp OR
    b.known_until > s.last_stamp;

-- fact {0} names a superseding or contradicting fact that is not in its space
SELECT b.fact_id FROM beliefs b WHERE EXISTS (SELECT 1 FROM (SELECT b.superseded_by AS id UNION ALL SELECT
    b.contradicted_by) named WHERE named.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.space_id =
    b.space_id AND f.fact_id = named.id));

-- fact {0} supersedes itself
SELECT fact_id FROM beliefs WHERE superseded_by = fact_id;

-- fact {0} has no episode in its space
SELECT f.fact_id FROM facts f WHERE NOT EXISTS (SELECT 1 FROM episodes e WHERE e.space_id = f.space_id AND
    e.episode_id = f.episode_id);

-- fact {0} has no source
SELECT f.fact_id FROM facts f WHERE NOT EXISTS (SELECT 1 FROM sources s WHERE s.space_id = f.space_id AND s.fact_id
    = f.fact_id);

-- fact {0} has a source that reaches beyond its episode
SELECT s.fact_id FROM sources s CROSS JOIN episodes e ON e.space_id = s.space_id AND e.episode_id = s.episode_id WHERE
    e.erased = 0 AND s.span_end > length(e.text) AND instr(e.text, char(0)) = 0;

-- erased fact {0} still has words, a vector or a belief
SELECT f.fact_id FROM facts f WHERE f.erased = 1 AND (f.text <> '' OR f.subject <> '' OR f.value_key IS NOT NULL OR
    EXISTS (SELECT 1 FROM vectors v WHERE v.space_id = f.space_id AND v.fact_id = f.fact_id) OR EXISTS (SELECT 1
    FROM beliefs b WHERE b.space_id = f.space_id AND b.fact_id = f.fact_id AND b.known_until IS NULL));

-- stub {0} still has a vector
SELECT f.fact_id FROM facts f JOIN vectors v ON v.space_id = f.space_id AND v.fact_id = f.fact_id WHERE f.tier = 'stub';

-- fact {0} is numbered outside its space
SELECT f.fact_id FROM facts f JOIN spaces s ON s.space_id = f.space_id WHERE f.doc / 4294967296 <> s.number OR f.doc
    % 4294967296 >= s.next_doc;

-- fact {0} was changed in a revision that its space has not reached
SELECT f.fact_id FROM facts f JOIN spaces s ON s.space_id = f.space_id WHERE f.changed_revision > s.revision OR
    f.added_revision > f.changed_revision;

-- conflict {0} does not list the facts it is about
SELECT c.conflict_id FROM conflicts c WHERE c.fact_set <> coalesce((SELECT json_group_array(fact_id) FROM (SELECT
    fact_id FROM conflict_facts k WHERE k.space_id = c.space_id AND k.conflict_id = c.conflict_id ORDER BY
    fact_id)), '[]');

-- conflict {0} is closed without an end, or open with one
SELECT conflict_id FROM conflicts WHERE (status = 'open') <> (closed_at IS NULL);

-- decision {0} speaks of a fact that no history row tells the making of
SELECT d.decision_id FROM decisions d WHERE d.fact_id IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM history h WHERE h.space_id = d.space_id AND h.fact_id = d.fact_id AND h.kind = 'fact_added')
    AND NOT EXISTS (SELECT 1 FROM history h WHERE h.space_id = d.space_id AND h.decision_id = d.decision_id);

-- decision {0} made a fact that is not in its space
SELECT d.decision_id FROM decisions d WHERE d.fact_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM facts f WHERE
    f.space_id = d.space_id AND f.fact_id = d.fact_id);
