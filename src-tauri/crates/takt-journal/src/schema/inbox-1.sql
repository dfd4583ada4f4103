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
-- With the time: a span of it is found without reading the rows.
CREATE INDEX reading_by_site ON reading (site, event, received);
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
    -- A rule spoke, none did, one failed, or they weren't done in time.
    by           TEXT NOT NULL CHECK (by IN ('rule', 'default', 'failure', 'slow')),
    -- JSON: what was answered, and what led to it.
    told         TEXT NOT NULL,
    -- From its arrival on.
    milliseconds INTEGER NOT NULL
) STRICT;

-- The rules that answer, after each edit. JSON.
CREATE TABLE rules (
    site    TEXT NOT NULL,
    version INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    text    TEXT NOT NULL,
    PRIMARY KEY (site, version)
) STRICT, WITHOUT ROWID;

-- Texts of rules, by their hashes, that were tried on what had come.
CREATE TABLE tried (
    site TEXT NOT NULL,
    rule TEXT NOT NULL,
    at   INTEGER NOT NULL,
    PRIMARY KEY (site, rule)
) STRICT, WITHOUT ROWID;

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

-- What the events say of the floor: a view as `reading` is. It is thrown away and made again where the reader got better.
-- How far it is made: one row.
CREATE TABLE floor (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    reader INTEGER NOT NULL,
    -- The last event that it holds.
    event  INTEGER NOT NULL
) STRICT;

-- The last known of each operation of an order.
CREATE TABLE floor_order (
    site         TEXT NOT NULL,
    code         TEXT NOT NULL,
    -- Empty where events don't say.
    operation    TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('seen', 'planned', 'running', 'paused', 'ended')),
    -- Since when it is in this state.
    since        INTEGER NOT NULL,
    station      TEXT,
    station_name TEXT,
    employee     TEXT,
    person       TEXT,
    material     TEXT,
    -- The service's words for its state, and what it says beside.
    status       TEXT,
    reason       TEXT,
    requested    REAL,
    good         REAL,
    bad          REAL,
    -- The newest run that its events tell of, and whether none without a time of its own has moved it in that run.
    begun        INTEGER,
    ended        INTEGER,
    exact        INTEGER NOT NULL CHECK (exact IN (0, 1)),
    -- The date of the newest entry of its quantities.
    recorded     INTEGER,
    -- The event that brought it into this state, the last that names it, and when that came.
    event        INTEGER NOT NULL,
    last         INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    -- Events that came too late to change it.
    late         INTEGER NOT NULL,
    PRIMARY KEY (site, code, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX floor_order_by_state ON floor_order (site, state);

-- Alerts of work stations by the service's numbers.
CREATE TABLE floor_alert (
    site         TEXT NOT NULL,
    alert        INTEGER NOT NULL,
    station      TEXT,
    station_name TEXT,
    employee     TEXT,
    kind         TEXT,
    note         TEXT,
    opened       INTEGER NOT NULL,
    acknowledged INTEGER,
    closed       INTEGER,
    -- The newest of its times, and the event that tells of it.
    newest       INTEGER NOT NULL,
    event        INTEGER NOT NULL,
    PRIMARY KEY (site, alert)
) STRICT, WITHOUT ROWID;
CREATE INDEX floor_alert_open ON floor_alert (site) WHERE closed IS NULL;

-- Work stations that an event named.
CREATE TABLE floor_station (
    site    TEXT NOT NULL,
    code    TEXT NOT NULL,
    name    TEXT,
    -- The last event that names it, and when it came.
    last    INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (site, code)
) STRICT, WITHOUT ROWID;

-- Events that came too late to change anything.
CREATE TABLE floor_late (
    event INTEGER PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE
) STRICT;

-- Where a site's events are sent on to. What is secret about it lies elsewhere.
CREATE TABLE target (
    -- A number is never given twice: what was sent to one isn't taken for what another got.
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    site      TEXT NOT NULL,
    name      TEXT NOT NULL,
    address   TEXT NOT NULL,
    -- JSON: numbers of the service's events; empty for all.
    kinds     TEXT NOT NULL,
    -- JSON: the names of headers that go along, and whether it is signed.
    keys      TEXT NOT NULL,
    paused    INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    -- Every event up to this one came before it, or is none of its business by a person's choice.
    began     INTEGER NOT NULL,
    -- Every event up to this one is settled: taken, set aside, or not for it. The queue is what came after.
    cursor    INTEGER NOT NULL,
    -- When it last took one.
    took      INTEGER,
    -- How many in a row were set aside since.
    refused   INTEGER NOT NULL DEFAULT 0,
    -- JSON: the event that wasn't taken, how often it was tried, since when, when next, and why.
    halt      TEXT,
    UNIQUE (site, name)
) STRICT;

-- What became of an event at a target.
CREATE TABLE forwarded (
    target INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
    event  INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    -- `again`: set aside, and to be sent once more by a person's choice.
    state  TEXT NOT NULL CHECK (state IN ('taken', 'aside', 'again')),
    at     INTEGER NOT NULL,
    tries  INTEGER NOT NULL,
    -- One of the words of `Fault`; absent where it was taken.
    fault  TEXT,
    -- The answer's HTTP status, and its beginning. Not trusted.
    status INTEGER,
    told   TEXT NOT NULL,
    PRIMARY KEY (event, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX forwarded_aside ON forwarded (target, state, event) WHERE state <> 'taken';

-- The events that are sent on: what a person replayed isn't, and what nobody believes isn't either.
CREATE INDEX event_forwardable ON event (site, id) WHERE replay = 0 AND signed IN ('unchecked', 'valid');

-- By what this file's own events are known when they come back.
CREATE TABLE origin (
    name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO origin (name) VALUES (lower(hex(randomblob(8))));
