-- The second wall between spaces, after the filter in every query: a transaction sees the space it has named and no
-- other, its owner included. Applied again after each migration, so that no table is forgotten.

DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'stilltrue'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND c.relname NOT IN ('space_names', 'schema_version')
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('DROP POLICY IF EXISTS own_space ON %I', name);
        EXECUTE format(
            'CREATE POLICY own_space ON %I USING (space_id = current_setting(''stilltrue.space'', true)) '
            'WITH CHECK (space_id = current_setting(''stilltrue.space'', true))', name);
    END LOOP;
END $$;
