-- Views of lists that a person saved by name, and who changed what when of that which desks share beside submissions.
CREATE TABLE shared_view (
    site      TEXT COLLATE "C" NOT NULL,
    operation TEXT COLLATE "C" NOT NULL,
    name      TEXT COLLATE "C" NOT NULL,
    body      TEXT NOT NULL,
    PRIMARY KEY (site, operation, name)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON shared_view TO takt_desk;

-- Append-only for desks. What was changed is known by `kind`, `site`, `operation` and `key`; what doesn't belong to a site, or to an
-- operation, has an empty text there.
CREATE TABLE shared_change (
    id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind      TEXT COLLATE "C" NOT NULL,
    site      TEXT COLLATE "C" NOT NULL,
    operation TEXT COLLATE "C" NOT NULL,
    key       TEXT COLLATE "C" NOT NULL,
    -- What a person recognises it by.
    name      TEXT NOT NULL,
    at        TEXT NOT NULL,
    person    TEXT NOT NULL,
    -- The name by which the desk signed in to the database; no desk can say another.
    login     TEXT NOT NULL DEFAULT session_user,
    -- Absent: it was removed.
    body      TEXT,
    -- Absent: there was none.
    before    TEXT,
    CHECK (body IS NOT NULL OR before IS NOT NULL)
);
CREATE INDEX shared_change_by_key ON shared_change (kind, site, operation, key, id);
GRANT SELECT, INSERT (kind, site, operation, key, name, at, person, body, before) ON shared_change TO takt_desk;

-- What is older than a moment goes when rows do, and in no other way.
CREATE FUNCTION purge_shared_changes(moment TEXT) RETURNS BIGINT LANGUAGE SQL SECURITY DEFINER SET search_path = takt, pg_temp AS $body$
    WITH gone AS (DELETE FROM shared_change WHERE julianday(at) < julianday(moment) RETURNING 1) SELECT COUNT(*) FROM gone
$body$;
REVOKE EXECUTE ON FUNCTION purge_shared_changes(TEXT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_shared_changes(TEXT) TO takt_desk;
