-- Events: what came, from whichever receiver of the team, and what was made of it since. As in a desk's own file; times are milliseconds
-- since 1970.

-- Numbers are given under the lock that each change takes, and come back where a change is undone: so there are no gaps in them.
CREATE TABLE event_number (last BIGINT NOT NULL);
INSERT INTO event_number VALUES (0);
CREATE FUNCTION next_event_number() RETURNS BIGINT LANGUAGE SQL VOLATILE AS
    'UPDATE takt.event_number SET last = last + 1 RETURNING last';

CREATE TABLE event (
    id       BIGINT PRIMARY KEY DEFAULT next_event_number(),
    site     TEXT COLLATE "C" NOT NULL,
    received BIGINT NOT NULL,
    -- By which one that comes again is looked for; its bytes must be the same, too.
    key      BIGINT NOT NULL,
    -- JSON: [[name, value], …] in their order, bytes that aren't text as `\xNN`.
    headers  TEXT NOT NULL,
    body     BYTEA NOT NULL,
    signed   TEXT COLLATE "C" NOT NULL,
    -- Came from a replay, not from the service.
    replay   SMALLINT NOT NULL DEFAULT 0 CHECK (replay IN (0, 1))
);
CREATE INDEX event_by_key ON event (key, id);
-- The events that are sent on: what a person replayed isn't, and what nobody believes isn't either.
CREATE INDEX event_forwardable ON event (site, id) WHERE replay = 0 AND signed IN ('unchecked', 'valid');

-- The same once more.
CREATE TABLE copy (
    rowid    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event    BIGINT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    received BIGINT NOT NULL,
    headers  TEXT NOT NULL
);
CREATE INDEX copy_by_event ON copy (event);

-- What a reader understood of an event. All of this can be made again from `event`, and is where the reader got better.
CREATE TABLE reading (
    event        BIGINT PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE,
    site         TEXT COLLATE "C" NOT NULL,
    received     BIGINT NOT NULL,
    -- The reader's version.
    reader       BIGINT NOT NULL,
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('sound', 'odd', 'unknown', 'malformed')),
    -- The service's id of the event; absent where the body has none.
    kind         BIGINT,
    station      TEXT COLLATE "C",
    station_name TEXT,
    employee     TEXT COLLATE "C",
    person       TEXT,
    description  TEXT,
    -- The first order that it names, and how many.
    order_code   TEXT,
    orders       BIGINT NOT NULL
);
CREATE INDEX reading_by_reader ON reading (reader);
CREATE INDEX reading_by_site ON reading (site, event, received);
CREATE INDEX reading_by_kind ON reading (kind, event);
CREATE INDEX reading_by_station ON reading (station, event);
CREATE INDEX reading_by_employee ON reading (employee, event) WHERE employee IS NOT NULL;
CREATE INDEX reading_by_state ON reading (state, event) WHERE state <> 'sound';

-- The orders that an event names.
CREATE TABLE named (
    code      TEXT COLLATE "C" NOT NULL,
    operation TEXT COLLATE "C" NOT NULL,
    event     BIGINT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    PRIMARY KEY (code, event, operation)
);
CREATE INDEX named_by_event ON named (event);

-- The words of an event's texts, in their order, for the search.
CREATE TABLE event_text (
    rowid BIGINT PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE,
    words TSVECTOR NOT NULL
);
CREATE INDEX event_text_by_word ON event_text USING GIN (words);

-- What was answered to an event that asks, and why.
CREATE TABLE answer (
    event        BIGINT PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE,
    at           BIGINT NOT NULL,
    allowed      SMALLINT NOT NULL CHECK (allowed IN (0, 1)),
    -- A rule spoke, none did, one failed, or they weren't done in time.
    by           TEXT COLLATE "C" NOT NULL CHECK (by IN ('rule', 'default', 'failure', 'slow')),
    -- JSON: what was answered, and what led to it.
    told         TEXT NOT NULL,
    -- From its arrival on.
    milliseconds BIGINT NOT NULL
);

-- The rules that answer, after each edit. JSON.
CREATE TABLE rules (
    site    TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    at      BIGINT NOT NULL,
    text    TEXT NOT NULL,
    PRIMARY KEY (site, version)
);

-- Texts of rules, by their hashes, that were tried on what had come.
CREATE TABLE tried (
    site TEXT COLLATE "C" NOT NULL,
    rule TEXT COLLATE "C" NOT NULL,
    at   BIGINT NOT NULL,
    PRIMARY KEY (site, rule)
);

-- Spans of time in which nothing could come: no receiver of the team was there.
CREATE TABLE gap (
    id    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site  TEXT COLLATE "C" NOT NULL,
    since BIGINT NOT NULL,
    until BIGINT NOT NULL,
    why   TEXT COLLATE "C" NOT NULL CHECK (why IN ('off', 'asleep'))
);

-- When a receiver of a site was last seen alive, and by which secret part of an address all of its receivers are reached.
CREATE TABLE pulse (
    site TEXT COLLATE "C" PRIMARY KEY,
    at   BIGINT NOT NULL
);
CREATE TABLE event_path (
    site TEXT COLLATE "C" PRIMARY KEY,
    path TEXT NOT NULL
);

-- What the events say of the floor: a view as `reading` is. How far it is made: one row.
CREATE TABLE floor (
    one    BIGINT PRIMARY KEY CHECK (one = 1),
    reader BIGINT NOT NULL,
    -- The last event that it holds.
    event  BIGINT NOT NULL
);

CREATE TABLE floor_order (
    site         TEXT COLLATE "C" NOT NULL,
    code         TEXT COLLATE "C" NOT NULL,
    -- Empty where events don't say.
    operation    TEXT COLLATE "C" NOT NULL,
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('seen', 'planned', 'running', 'paused', 'ended')),
    -- Since when it is in this state.
    since        BIGINT NOT NULL,
    station      TEXT,
    station_name TEXT,
    employee     TEXT,
    person       TEXT,
    material     TEXT,
    -- The service's words for its state, and what it says beside.
    status       TEXT,
    reason       TEXT,
    requested    DOUBLE PRECISION,
    good         DOUBLE PRECISION,
    bad          DOUBLE PRECISION,
    -- The newest run that its events tell of, and whether none without a time of its own has moved it in that run.
    begun        BIGINT,
    ended        BIGINT,
    exact        SMALLINT NOT NULL CHECK (exact IN (0, 1)),
    -- The date of the newest entry of its quantities.
    recorded     BIGINT,
    -- The event that brought it into this state, the last that names it, and when that came.
    event        BIGINT NOT NULL,
    last         BIGINT NOT NULL,
    last_at      BIGINT NOT NULL,
    -- Events that came too late to change it.
    late         BIGINT NOT NULL,
    PRIMARY KEY (site, code, operation)
);
CREATE INDEX floor_order_by_state ON floor_order (site, state);

CREATE TABLE floor_alert (
    site         TEXT COLLATE "C" NOT NULL,
    alert        BIGINT NOT NULL,
    station      TEXT,
    station_name TEXT,
    employee     TEXT,
    kind         TEXT,
    note         TEXT,
    opened       BIGINT NOT NULL,
    acknowledged BIGINT,
    closed       BIGINT,
    -- The newest of its times, and the event that tells of it.
    newest       BIGINT NOT NULL,
    event        BIGINT NOT NULL,
    PRIMARY KEY (site, alert)
);
CREATE INDEX floor_alert_open ON floor_alert (site) WHERE closed IS NULL;

CREATE TABLE floor_station (
    site    TEXT COLLATE "C" NOT NULL,
    code    TEXT COLLATE "C" NOT NULL,
    name    TEXT,
    -- The last event that names it, and when it came.
    last    BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (site, code)
);

-- Events that came too late to change anything.
CREATE TABLE floor_late (
    event BIGINT PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE
);

-- Where a site's events are sent on to. What is secret about it lies in the vaults of the computers that send.
CREATE TABLE target (
    id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site      TEXT COLLATE "C" NOT NULL,
    name      TEXT COLLATE "C" NOT NULL,
    address   TEXT NOT NULL,
    -- JSON: numbers of the service's events; empty for all.
    kinds     TEXT NOT NULL,
    -- JSON: the names of headers that go along, and whether it is signed.
    keys      TEXT NOT NULL,
    paused    SMALLINT NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    -- Every event up to this one came before it, or is none of its business by a person's choice.
    began     BIGINT NOT NULL,
    -- Every event up to this one is settled: taken, set aside, or not for it. The queue is what came after.
    cursor    BIGINT NOT NULL,
    -- When it last took one.
    took      BIGINT,
    -- How many in a row were set aside since.
    refused   BIGINT NOT NULL DEFAULT 0,
    -- JSON: the event that wasn't taken, how often it was tried, since when, when next, and why.
    halt      TEXT,
    UNIQUE (site, name)
);

-- What became of an event at a target.
CREATE TABLE forwarded (
    target BIGINT NOT NULL REFERENCES target (id) ON DELETE CASCADE,
    event  BIGINT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    -- `again`: set aside, and to be sent once more by a person's choice.
    state  TEXT COLLATE "C" NOT NULL CHECK (state IN ('taken', 'aside', 'again')),
    at     BIGINT NOT NULL,
    tries  BIGINT NOT NULL,
    -- Absent where it was taken.
    fault  TEXT,
    -- The answer's HTTP status, and its beginning. Not trusted.
    status BIGINT,
    told   TEXT NOT NULL,
    PRIMARY KEY (event, target)
);
CREATE INDEX forwarded_aside ON forwarded (target, state, event) WHERE state <> 'taken';

-- By what the team's own events are known when they come back.
CREATE TABLE origin (name TEXT PRIMARY KEY);
INSERT INTO origin (name) VALUES (left(replace(CAST(gen_random_uuid() AS TEXT), '-', ''), 16));

GRANT SELECT, UPDATE ON event_number TO takt_desk;
GRANT SELECT ON origin TO takt_desk;
GRANT SELECT, INSERT, UPDATE, DELETE ON event, copy, reading, named, event_text, answer, rules, tried, gap, pulse, event_path, floor, floor_order,
    floor_alert, floor_station, floor_late, target, forwarded TO takt_desk;
