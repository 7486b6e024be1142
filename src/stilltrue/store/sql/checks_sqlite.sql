-- As checks.sql, of what only a SQLite file has.

-- fact {0} is missing from the full-text index
SELECT fact_id FROM facts WHERE erased = 0 AND doc NOT IN (SELECT id FROM facts_fts_docsize);

-- row {0} of the full-text index belongs to no fact
SELECT id FROM facts_fts_docsize WHERE id NOT IN (SELECT doc FROM facts WHERE erased = 0);

-- two spaces share number {0}
SELECT number FROM spaces GROUP BY number HAVING count(*) > 1;
