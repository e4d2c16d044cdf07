-- Makes the database that it is run in a central store, in which many stations share one study.
-- To be run by whoever owns the database. It may be run again, and leaves what is there.
--
-- hype_added   the tables into which stations add rows; nothing in them is ever changed
-- hype         what is read: views with the tables and columns of a station's own record
-- hype_station the role of stations: it can add trials, and read no more than it takes to add them
--              and to assign evaluators
-- hype_analyst the role of those who look at the data: it can read the views
--
-- Neither role has a password before it is given one, and without one it cannot log in by password.

\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages = warning;
DO $$$$ BEGIN PERFORM pg_advisory_xact_lock(1213812805); END $$$$;  -- one after the other

CREATE SCHEMA IF NOT EXISTS hype_added;
CREATE SCHEMA IF NOT EXISTS hype;

$tables

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
    DELETE FROM hype_added.judgements WHERE evaluator_id = ANY(leaving);
    DELETE FROM hype_added.comparisons WHERE evaluator_id = ANY(leaving);
    DELETE FROM hype_added.ratings WHERE evaluator_id = ANY(leaving);
    DELETE FROM hype_added.placements WHERE evaluator_id = ANY(leaving);
    DELETE FROM hype_added.demographics WHERE evaluator_id = ANY(leaving);
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

-- What is read. Where several stations gave the same code, it is followed by a number.

CREATE OR REPLACE VIEW hype.store AS
SELECT version FROM hype_added.store;

CREATE OR REPLACE VIEW hype.studies AS
SELECT $studies
FROM hype_added.studies t;

CREATE OR REPLACE VIEW hype.evaluators AS
SELECT $evaluators
FROM (
    SELECT
        e.*,
        COALESCE(p.status, 'active') AS status,
        CASE
            WHEN count(*) OVER alike = 1 THEN e.evaluator
            ELSE e.evaluator || '__' || row_number() OVER (alike ORDER BY e.id)
        END AS label
    FROM hype_added.evaluators e LEFT JOIN hype_added.parts p ON p.evaluator_id = e.id
    WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = e.id)
    WINDOW alike AS (PARTITION BY e.evaluator, e.simulated)
) t;

CREATE OR REPLACE VIEW hype.sessions AS
SELECT $sessions
FROM (
    SELECT s.*, x.ended_unix_s, x.ended, x.timing, NULL::text AS showing
    FROM hype_added.sessions s LEFT JOIN hype_added.ends x ON x.session_id = s.id
) t
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id);

CREATE OR REPLACE VIEW hype.judgements AS
SELECT $judgements
FROM hype_added.judgements t
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id);

CREATE OR REPLACE VIEW hype.comparisons AS
SELECT $comparisons
FROM hype_added.comparisons t
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id);

CREATE OR REPLACE VIEW hype.ratings AS
SELECT $ratings
FROM hype_added.ratings t
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id);

CREATE OR REPLACE VIEW hype.placements AS
SELECT $placements
FROM hype_added.placements t
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id);

CREATE OR REPLACE VIEW hype.demographics AS
SELECT $demographics
FROM (
    SELECT DISTINCT ON (d.evaluator_id, d.question)
        d.id, d.evaluator_id, d.question, d.answer, NULLIF(d.asked_unix_s, 0) AS asked_unix_s
    FROM hype_added.demographics d
    ORDER BY d.evaluator_id, d.question, d.asked_unix_s DESC
) t
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id);

CREATE OR REPLACE VIEW hype.events AS
SELECT $events
FROM hype_added.events t JOIN hype_added.sessions s ON s.id = t.session_id
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = s.evaluator_id);

CREATE OR REPLACE VIEW hype.removals AS
SELECT $removals
FROM hype_added.removals t;

-- The two roles, which all databases of a server have in common. Who may not make them goes without:
-- then only the owner can add and read.

DO $$$$
DECLARE role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['hype_station', 'hype_analyst'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', role);
        END IF;
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'the roles hype_station and hype_analyst were not made: %', SQLERRM;
END $$$$;

DO $$$$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = hype, public', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
END $$$$;

DO $$$$ BEGIN
    IF (SELECT count(*) FROM pg_roles WHERE rolname IN ('hype_station', 'hype_analyst')) < 2 THEN
        RETURN;
    END IF;

    EXECUTE format('GRANT CONNECT ON DATABASE %I TO hype_station, hype_analyst', current_database());
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO hype_station', current_database());

    GRANT USAGE ON SCHEMA hype TO hype_analyst;
    GRANT SELECT ON ALL TABLES IN SCHEMA hype TO hype_analyst;

    GRANT USAGE ON SCHEMA hype, hype_added TO hype_station;
    GRANT INSERT ON
        hype_added.studies, hype_added.evaluators, hype_added.parts, hype_added.sessions,
        hype_added.ends, hype_added.judgements, hype_added.comparisons, hype_added.ratings,
        hype_added.placements, hype_added.demographics, hype_added.events, hype_added.removals
        TO hype_station;

    -- What a station reads to know what is there already: that a trial was answered, and not what.
    GRANT SELECT ON hype_added.store, hype_added.studies TO hype_station;
    GRANT SELECT (id, uid, evaluator, simulated) ON hype_added.evaluators TO hype_station;
    GRANT SELECT (evaluator_id) ON hype_added.parts TO hype_station;
    GRANT SELECT (id, evaluator_id, started_unix_s) ON hype_added.sessions TO hype_station;
    GRANT SELECT (session_id) ON hype_added.ends TO hype_station;
    GRANT SELECT (evaluator_id, task, block, trial, onset_unix_s) ON
        hype_added.judgements, hype_added.comparisons, hype_added.ratings, hype_added.placements
        TO hype_station;
    GRANT SELECT (evaluator_id, question, asked_unix_s) ON hype_added.demographics TO hype_station;
    GRANT SELECT (session_id, number) ON hype_added.events TO hype_station;
    GRANT SELECT (uid) ON hype_added.removals TO hype_station;

    -- What it reads to assign the next evaluator: who came; in an arena the votes; who ranked what.
    GRANT SELECT ON hype.store, hype.evaluators TO hype_station;
    GRANT SELECT (evaluator_id, simulated, task, "left", "right", answer, correct)
        ON hype.comparisons TO hype_station;
    GRANT SELECT (id, evaluator_id, simulated, task, "group", answer)
        ON hype.placements TO hype_station;
END $$$$;

COMMIT;
