-- Makes the database that it is run in a central store, in which many stations share one study.
-- To be run by whoever owns the database. It may be run again, and leaves what is there.
--
-- hype_added         the tables into which stations add rows; nothing in them is ever changed
-- hype               what is read: views with the tables and columns of a station's own record
-- hype_station_NAME  the role of the station NAME: it can add trials of those who came there, and
--                    read no more than it takes to add them and to assign evaluators
-- hype_station       what all stations may do; nobody logs in as it
-- hype_analyst       the role of those who look at the data: it can read the views
--
-- No role has a password before it is given one, and without one it cannot log in by password.

\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages = warning;
DO $$$$ BEGIN PERFORM pg_advisory_xact_lock(1213812805); END $$$$;  -- one after the other

CREATE SCHEMA IF NOT EXISTS hype_added;
CREATE SCHEMA IF NOT EXISTS hype;
COMMENT ON SCHEMA hype IS '$setup';  -- which version of all this it is

$tables

-- Stores of before: they get the columns that they lack. A view takes none between two that it has:
-- they are made anew, and if somebody's own views are made of them, nothing of all this is done.

DO $$$$ BEGIN
    IF (SELECT max(version) FROM hype_added.store) < $version THEN
        $columns
        DROP VIEW IF EXISTS
            hype.impossible,
            $views_of_before;
    END IF;
END $$$$;

INSERT INTO hype_added.store VALUES ($version) ON CONFLICT DO NOTHING;

$indexes

-- Whoever was removed on request is in no view from then on; erase_removed() deletes their rows, and
-- only who owns the database can call it.

CREATE OR REPLACE VIEW hype_added.removed AS
SELECT e.id AS evaluator_id
FROM hype_added.evaluators e JOIN hype_added.removals r ON r.uid = e.uid;

CREATE OR REPLACE FUNCTION hype_added.erase(leaving bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$$$
DECLARE
    held bigint[] := ARRAY(SELECT id FROM hype_added.sessions WHERE evaluator_id = ANY(leaving));
    erased bigint;
BEGIN
    $answers_erased
    DELETE FROM hype_added.demographics WHERE evaluator_id = ANY(leaving);
    DELETE FROM hype_added.contradictions WHERE evaluator_id = ANY(leaving);
    DELETE FROM hype_added.events WHERE session_id = ANY(held);
    DELETE FROM hype_added.ends WHERE session_id = ANY(held);
    DELETE FROM hype_added.sessions WHERE id = ANY(held);
    DELETE FROM hype_added.parts WHERE evaluator_id = ANY(leaving);
    DELETE FROM hype_added.evaluators WHERE id = ANY(leaving);
    GET DIAGNOSTICS erased = ROW_COUNT;
    RETURN erased;
END $$$$;

CREATE OR REPLACE FUNCTION hype_added.erase_removed() RETURNS bigint LANGUAGE sql AS $$$$
    SELECT hype_added.erase(ARRAY(SELECT evaluator_id FROM hype_added.removed));
$$$$;

-- Simulated evaluators with whom a design was tried: a station that still has them pushes them again.
CREATE OR REPLACE FUNCTION hype_added.erase_simulated() RETURNS bigint LANGUAGE sql AS $$$$
    SELECT hype_added.erase(ARRAY(SELECT id FROM hype_added.evaluators WHERE simulated));
$$$$;

REVOKE ALL ON FUNCTION
    hype_added.erase(bigint[]), hype_added.erase_removed(), hype_added.erase_simulated()
    FROM PUBLIC;

-- Stations add only rows of those who came to them: the store knows each by its role, which it
-- cannot change. Who owns the database may add any row.

CREATE OR REPLACE FUNCTION hype_added.station() RETURNS text LANGUAGE sql STABLE AS $$$$
    SELECT pg_catalog.substr(session_user::pg_catalog.text, 14)
    WHERE pg_catalog.starts_with(session_user::pg_catalog.text, 'hype_station_')
$$$$;  -- in full: a type of one's own that is called text comes before PostgreSQL's

-- All that was added, but of those who were removed. Where several stations gave the same code, it is
-- followed by # and a number, which no code has.

CREATE OR REPLACE VIEW hype_added.all_studies AS
SELECT t.* FROM hype_added.studies t;

CREATE OR REPLACE VIEW hype_added.all_evaluators AS
SELECT
    t.*,
    COALESCE(p.status, 'active') AS status,
    CASE
        WHEN count(*) OVER alike = 1 THEN t.evaluator
        ELSE t.evaluator || '#' || row_number() OVER (alike ORDER BY t.id)
    END AS label
FROM hype_added.evaluators t LEFT JOIN hype_added.parts p ON p.evaluator_id = t.id
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.id)
WINDOW alike AS (PARTITION BY t.evaluator, t.simulated);

CREATE OR REPLACE VIEW hype_added.all_sessions AS
SELECT t.*, x.ended_unix_s, x.ended, x.timing, NULL::text AS showing
FROM hype_added.sessions t LEFT JOIN hype_added.ends x ON x.session_id = t.id
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id);

$answers_left

CREATE OR REPLACE VIEW hype_added.all_demographics AS
SELECT DISTINCT ON (t.evaluator_id, t.question)
    t.id, t.evaluator_id, t.question, t.answer, NULLIF(t.asked_unix_s, 0) AS asked_unix_s
FROM hype_added.demographics t
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id)
ORDER BY t.evaluator_id, t.question, t.asked_unix_s DESC;

CREATE OR REPLACE VIEW hype_added.all_events AS
SELECT t.*, s.evaluator_id
FROM hype_added.events t JOIN hype_added.sessions s ON s.id = t.session_id
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = s.evaluator_id);

CREATE OR REPLACE VIEW hype_added.all_removals AS
SELECT t.* FROM hype_added.removals t;

CREATE OR REPLACE VIEW hype_added.all_contradictions AS
SELECT t.* FROM hype_added.contradictions t
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id);

-- What is read: of all that, the rows that can be true. hype.impossible counts the others.

CREATE OR REPLACE VIEW hype.store AS
SELECT version FROM hype_added.store;

$views

CREATE OR REPLACE VIEW hype.impossible AS
$impossible;

-- Somebody looked, and the answers that the store has are to stand: for a station that is gone.
CREATE OR REPLACE FUNCTION hype_added.settle(code text) RETURNS bigint LANGUAGE sql AS $$$$
    WITH settled AS (
        INSERT INTO hype_added.contradictions
            (evaluator_id, station, task, block, trial, onset_unix_s, settled)
        SELECT c.evaluator_id, c.station, c.task, c.block, c.trial, c.onset_unix_s, true
        FROM hype.contradictions c JOIN hype.evaluators e ON e.id = c.evaluator_id
        WHERE e.evaluator = code AND NOT c.settled
        ON CONFLICT DO NOTHING RETURNING 1
    )
    SELECT count(*) FROM settled
$$$$;
REVOKE ALL ON FUNCTION hype_added.settle(text) FROM PUBLIC;

-- The roles, which all databases of a server have in common. Who may not make them goes without: then
-- only the owner can add and read. What a station changed of itself, which PostgreSQL lets every role
-- do, is put back; only its password is left as it is.

DO $$$$
DECLARE named text;
BEGIN
    FOREACH named IN ARRAY ARRAY['hype_station', 'hype_analyst'] || $stations LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = named) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', named);
        END IF;
    END LOOP;
    ALTER ROLE hype_station NOLOGIN;
    FOREACH named IN ARRAY $stations LOOP
        EXECUTE format('GRANT hype_station TO %I', named);
    END LOOP;
    FOR named IN
        SELECT r.rolname FROM pg_roles r
        JOIN pg_auth_members m ON m.member = r.oid
        WHERE m.roleid = 'hype_station'::regrole AND starts_with(r.rolname::text, 'hype_station_')
        UNION SELECT 'hype_analyst'
    LOOP
        EXECUTE format('ALTER ROLE %I RESET ALL', named);
        EXECUTE format('ALTER ROLE %I IN DATABASE %I RESET ALL', named, current_database());
        IF named = 'hype_analyst' THEN
            EXECUTE format('ALTER ROLE %I CONNECTION LIMIT $analysts_at_once', named);
            $analyst_limits
        ELSE
            EXECUTE format('ALTER ROLE %I CONNECTION LIMIT $of_a_station_at_once', named);
            $station_limits
        END IF;
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'the roles of stations and analysts were not made: %', SQLERRM;
END $$$$;

DO $$$$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = hype, public', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
END $$$$;

DO $$$$
DECLARE
    added text;
    may text;
BEGIN
    IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('hype_station', 'hype_analyst')) < 2 THEN
        RETURN;
    END IF;

    EXECUTE format('GRANT CONNECT ON DATABASE %I TO hype_station, hype_analyst', current_database());
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO hype_station', current_database());

    GRANT USAGE ON SCHEMA hype TO hype_analyst;
    GRANT SELECT ON ALL TABLES IN SCHEMA hype TO hype_analyst;

    GRANT USAGE ON SCHEMA hype, hype_added TO hype_station;
    REVOKE INSERT ON ALL TABLES IN SCHEMA hype_added FROM hype_station;
    $may_add  -- and numbers no row: it could take numbers that others' rows will have

    -- What a station reads to know what is there already: that a trial was answered, and not what.
    GRANT SELECT ON hype_added.store, hype_added.studies TO hype_station;
    GRANT SELECT (id, uid, evaluator, simulated, station) ON hype_added.evaluators TO hype_station;
    GRANT SELECT (evaluator_id) ON hype_added.parts TO hype_station;
    GRANT SELECT (id, evaluator_id, started_unix_s) ON hype_added.sessions TO hype_station;
    GRANT SELECT (session_id) ON hype_added.ends TO hype_station;
    GRANT SELECT (evaluator_id, task, block, trial, onset_unix_s) ON
        $answers
        TO hype_station;
    GRANT SELECT (evaluator_id, question, asked_unix_s) ON hype_added.demographics TO hype_station;
    GRANT SELECT (session_id, number) ON hype_added.events TO hype_station;
    GRANT SELECT (uid) ON hype_added.removals TO hype_station;

    -- What it reads to assign the next evaluator: who came; in an arena the votes; who ranked what.
    GRANT SELECT ON hype.store, hype.evaluators, hype.contradictions TO hype_station;
    GRANT SELECT (id, evaluator_id, simulated, task, prompt, left_image, right_image, "left", "right",
        answer, correct) ON hype.comparisons TO hype_station;
    GRANT SELECT (id, evaluator_id, simulated, task, "group", answer)
        ON hype.placements TO hype_station;

    -- Stores of before: any text could take the place of a study that others would bring.
    IF EXISTS (
        SELECT FROM pg_policies WHERE schemaname = 'hype_added' AND tablename = 'studies'
        AND policyname = 'adding' AND with_check = 'true'
    ) THEN
        DROP POLICY reading ON hype_added.studies;
        DROP POLICY adding ON hype_added.studies;
    END IF;

    -- Of these rows it reads any, and adds its own.
    FOR added, may IN VALUES
        ('studies', '$study_possible'),
        ('evaluators', 'station = hype_added.station()'),
        ('parts', '$of_its_evaluator'),
        ('sessions', '$of_its_evaluator'),
        ('demographics', '$of_its_evaluator'),
        $own_answers
        ('events', '$of_its_session)'),
        ('ends', '$of_its_session)'),
        ('removals', 'NOT EXISTS (SELECT FROM hype_added.evaluators e WHERE e.uid = removals.uid '
            'AND e.station IS DISTINCT FROM hype_added.station())'),
        ('contradictions', 'station = hype_added.station()')
    LOOP
        CONTINUE WHEN EXISTS (
            SELECT FROM pg_policies WHERE schemaname = 'hype_added' AND tablename = added
        );  -- and nobody who is adding at this moment is disturbed
        EXECUTE format('ALTER TABLE hype_added.%I ENABLE ROW LEVEL SECURITY', added);
        EXECUTE format('CREATE POLICY reading ON hype_added.%I FOR SELECT USING (true)', added);
        EXECUTE format(
            'CREATE POLICY adding ON hype_added.%I FOR INSERT TO hype_station WITH CHECK (%s)',
            added, may);
    END LOOP;
END $$$$;

COMMIT;
