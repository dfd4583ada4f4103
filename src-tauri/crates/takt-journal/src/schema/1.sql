-- Times are ISO 8601 with Z; `body`, `value`, `reasons` and `problem` are JSON.
CREATE TABLE site (
    name     TEXT PRIMARY KEY,
    body     TEXT NOT NULL,
    position INTEGER NOT NULL
) STRICT;

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE template_remembered (
    site     TEXT NOT NULL,
    template INTEGER NOT NULL,
    at       TEXT NOT NULL,
    PRIMARY KEY (site, template)
) STRICT, WITHOUT ROWID;

-- `headings` is a fingerprint of the sheet's headings.
CREATE TABLE mapping (
    operation TEXT NOT NULL,
    headings  TEXT NOT NULL,
    body      TEXT NOT NULL,
    at        TEXT NOT NULL,
    PRIMARY KEY (operation, headings)
) STRICT, WITHOUT ROWID;

-- The counts are in rows and are moved with every change of an item, in the same transaction.
CREATE TABLE submission (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    operation     TEXT NOT NULL,
    site          TEXT NOT NULL,
    file          TEXT NOT NULL,
    hash          TEXT NOT NULL,
    sheet         TEXT NOT NULL,
    started       TEXT NOT NULL,
    ended         TEXT,
    state         TEXT NOT NULL CHECK (state IN ('running', 'paused', 'stopped', 'interrupted', 'finished')),
    batch_size    INTEGER NOT NULL CHECK (batch_size > 0),
    items         INTEGER NOT NULL DEFAULT 0,
    pending_items INTEGER NOT NULL DEFAULT 0 CHECK (pending_items >= 0),
    total         INTEGER NOT NULL DEFAULT 0,
    pending       INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
    sending       INTEGER NOT NULL DEFAULT 0 CHECK (sending >= 0),
    accepted      INTEGER NOT NULL DEFAULT 0 CHECK (accepted >= 0),
    rejected      INTEGER NOT NULL DEFAULT 0 CHECK (rejected >= 0),
    in_doubt      INTEGER NOT NULL DEFAULT 0 CHECK (in_doubt >= 0),
    skipped       INTEGER NOT NULL DEFAULT 0 CHECK (skipped >= 0),
    attempts      INTEGER NOT NULL DEFAULT 0,
    batches       INTEGER NOT NULL DEFAULT 0,
    requests      INTEGER NOT NULL DEFAULT 0,
    active_ms     INTEGER NOT NULL DEFAULT 0,
    problem       TEXT,
    CHECK (pending + sending + accepted + rejected + in_doubt + skipped = total)
) STRICT;

CREATE TABLE item (
    submission INTEGER NOT NULL REFERENCES submission (id),
    number     INTEGER NOT NULL,
    key        TEXT NOT NULL,
    body       TEXT NOT NULL,
    rows       INTEGER NOT NULL CHECK (rows > 0),
    fate       TEXT NOT NULL
               CHECK (fate IN ('pending', 'sending', 'accepted', 'rejected', 'in_doubt', 'skipped')),
    reasons    TEXT,
    -- The last attempt that carried it.
    batch      INTEGER,
    PRIMARY KEY (submission, number)
) STRICT;
CREATE INDEX item_by_fate ON item (submission, fate, number);

-- A row belongs to exactly one item of a submission.
CREATE TABLE row (
    submission INTEGER NOT NULL,
    item       INTEGER NOT NULL,
    sheet      TEXT NOT NULL,
    row        INTEGER NOT NULL,
    PRIMARY KEY (submission, item, sheet, row),
    UNIQUE (submission, sheet, row),
    FOREIGN KEY (submission, item) REFERENCES item (submission, number)
) STRICT, WITHOUT ROWID;

-- Append-only: an attempt is written when it begins, completed once when it ends, and never touched again.
CREATE TABLE attempt (
    submission   INTEGER NOT NULL REFERENCES submission (id),
    batch        INTEGER NOT NULL,
    started      TEXT NOT NULL,
    wire_hash    TEXT NOT NULL,
    items        INTEGER NOT NULL,
    rows         INTEGER NOT NULL,
    ended        TEXT,
    status       INTEGER,
    class        TEXT CHECK (class IN ('answered', 'refused', 'deferred', 'not_sent', 'unknown')),
    milliseconds INTEGER,
    log_id       TEXT,
    pending      INTEGER NOT NULL DEFAULT 0,
    accepted     INTEGER NOT NULL DEFAULT 0,
    rejected     INTEGER NOT NULL DEFAULT 0,
    in_doubt     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (submission, batch)
) STRICT;
CREATE TRIGGER attempt_stays BEFORE DELETE ON attempt
BEGIN SELECT RAISE(ABORT, 'attempts are kept'); END;
CREATE TRIGGER attempt_ends_once BEFORE UPDATE ON attempt WHEN OLD.ended IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the attempt has ended'); END;
