-- Files that people opened, by their content, each with its draft: what a person made of its rows that isn't sent.
CREATE TABLE recent_file (
    hash     TEXT NOT NULL PRIMARY KEY,
    path     TEXT NOT NULL,
    file     TEXT NOT NULL,
    -- Bytes, and when it was last written to as the file system says: whoever finds both knows the file without reading it.
    size     INTEGER NOT NULL,
    modified TEXT NOT NULL,
    opened   TEXT NOT NULL,
    -- Absent, all of them, where there is no draft.
    changed  TEXT,
    site     TEXT,
    edited   INTEGER NOT NULL DEFAULT 0,
    excluded INTEGER NOT NULL DEFAULT 0,
    draft    TEXT
) STRICT;
CREATE INDEX recent_file_by_path ON recent_file (path);
-- Where a file was sent to is asked for each of them.
CREATE INDEX submission_by_hash ON submission (hash);
