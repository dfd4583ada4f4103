-- What the plant is, and what it was told: seed, size, time zone, clock, secrets.
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The place is the resource's number times 2^32 plus the row's position. One whole number as the key, because rows of a
-- table without row ids that are longer than a quarter of a page would each take a page of their own.
CREATE TABLE rows (
    place INTEGER PRIMARY KEY,
    row TEXT NOT NULL
) STRICT;

CREATE TABLE templates (
    id INTEGER PRIMARY KEY,
    links TEXT NOT NULL
) STRICT;

CREATE TABLE supplies (
    id INTEGER PRIMARY KEY,
    supply TEXT NOT NULL
) STRICT;

-- The log in two rings, so that reads never push out writes.
CREATE TABLE reads (
    number INTEGER PRIMARY KEY,
    entry TEXT NOT NULL
) STRICT;

-- `ends` counts the bytes of all entries ever written, up to the end of this one.
CREATE TABLE writes (
    number INTEGER PRIMARY KEY,
    ends INTEGER NOT NULL,
    entry TEXT NOT NULL
) STRICT;

-- The status with which a write was answered after what it applied was kept.
CREATE TABLE answers (
    number INTEGER PRIMARY KEY,
    status INTEGER NOT NULL
) STRICT;

-- Who is signed in. Of a token only its SHA-256 digest; times are microseconds since 1970.
CREATE TABLE access (
    digest BLOB PRIMARY KEY,
    user TEXT NOT NULL,
    scope TEXT NOT NULL,
    family INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE refresh (
    digest BLOB PRIMARY KEY,
    user TEXT NOT NULL,
    scope TEXT NOT NULL,
    family INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
