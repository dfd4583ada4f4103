-- Properties of the plant: seed, size, time zone, clock, secrets.
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The place is the resource's number times 2^32 plus the row's position. The key is a single integer, because in a table
-- without row IDs, each row longer than a quarter of a page would need a separate page.
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

-- `ends` is the size in bytes of all entries ever written, including this one.
CREATE TABLE writes (
    number INTEGER PRIMARY KEY,
    ends INTEGER NOT NULL,
    entry TEXT NOT NULL
) STRICT;

-- The status of the response to a write, which is known only after its entry is saved.
CREATE TABLE answers (
    number INTEGER PRIMARY KEY,
    status INTEGER NOT NULL
) STRICT;

-- Access tokens by their SHA-256 digests. Times are microseconds since 1970.
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
