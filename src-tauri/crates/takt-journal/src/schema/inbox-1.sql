-- What came, as it came: nothing here is ever changed. Times are milliseconds since 1970.
CREATE TABLE event (
    -- In the order in which they came; a number is never given twice.
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    site     TEXT NOT NULL,
    received INTEGER NOT NULL,
    -- By which one that comes again is looked for; its bytes must be the same, too.
    key      INTEGER NOT NULL,
    -- JSON: [[name, value], …] in their order, bytes that aren't text as `\xNN`.
    headers  TEXT NOT NULL,
    body     BLOB NOT NULL,
    -- What its signature is worth: one of the words of `Signed`.
    signed   TEXT NOT NULL,
    -- Came from a replay, not from the service.
    replay   INTEGER NOT NULL DEFAULT 0 CHECK (replay IN (0, 1))
) STRICT;

-- The events under their keys, written many at a time; those after `known_until` are found in `event` alone.
CREATE TABLE known (
    key   INTEGER NOT NULL,
    event INTEGER NOT NULL,
    PRIMARY KEY (key, event)
) STRICT, WITHOUT ROWID;
CREATE TABLE known_until (until INTEGER NOT NULL) STRICT;
INSERT INTO known_until VALUES (0);

-- The same once more.
CREATE TABLE copy (
    event    INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    received INTEGER NOT NULL,
    headers  TEXT NOT NULL
) STRICT;
CREATE INDEX copy_by_event ON copy (event);

-- What a reader understood of an event. All of this can be made again from `event`, and is where the reader got better.
CREATE TABLE reading (
    event        INTEGER PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE,
    site         TEXT NOT NULL,
    received     INTEGER NOT NULL,
    -- The reader's version.
    reader       INTEGER NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('sound', 'odd', 'unknown', 'malformed')),
    -- The service's id of the event; absent where the body has none.
    kind         INTEGER,
    station      TEXT,
    station_name TEXT,
    employee     TEXT,
    person       TEXT,
    description  TEXT,
    -- The first order that it names, and how many.
    order_code   TEXT,
    orders       INTEGER NOT NULL
) STRICT;
CREATE INDEX reading_by_reader ON reading (reader);
CREATE INDEX reading_by_site ON reading (site, event);
CREATE INDEX reading_by_kind ON reading (kind, event);
CREATE INDEX reading_by_station ON reading (station, event);
CREATE INDEX reading_by_employee ON reading (employee, event) WHERE employee IS NOT NULL;
CREATE INDEX reading_by_state ON reading (state, event) WHERE state <> 'sound';

-- The orders that an event names.
CREATE TABLE named (
    code      TEXT NOT NULL,
    operation TEXT NOT NULL,
    event     INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    PRIMARY KEY (code, event, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX named_by_event ON named (event);

-- The texts of an event, for the search; a rowid is an event's id.
CREATE VIRTUAL TABLE event_text USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- What was answered to an event that asks, and why.
CREATE TABLE answer (
    event        INTEGER PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE,
    at           INTEGER NOT NULL,
    allowed      INTEGER NOT NULL CHECK (allowed IN (0, 1)),
    -- JSON: what was answered, and what led to it.
    told         TEXT NOT NULL,
    milliseconds INTEGER NOT NULL
) STRICT;

-- Spans of time in which nothing could come: the receiver was off, or the computer asleep.
CREATE TABLE gap (
    id    INTEGER PRIMARY KEY,
    site  TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    why   TEXT NOT NULL CHECK (why IN ('off', 'asleep'))
) STRICT;

-- When a site's receiver was last seen alive.
CREATE TABLE pulse (
    site TEXT PRIMARY KEY,
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
