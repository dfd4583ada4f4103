-- Who took a submission up last after it had ended somewhere, or had been left behind.
CREATE TABLE taken_up (
    submission BIGINT PRIMARY KEY REFERENCES submission (id) ON DELETE CASCADE,
    at         TEXT NOT NULL,
    person     TEXT NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON taken_up TO takt_desk;

-- Which desk sends on to a target. It gets the next number with the target, holds the lock of that number as long as its session lives,
-- and says again and again that it is there: who stands still loses the target as who is gone does.
CREATE SEQUENCE sender_number AS INTEGER CYCLE;
CREATE TABLE sender (
    target BIGINT PRIMARY KEY REFERENCES target (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    seen   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sender TO takt_desk;
GRANT USAGE ON SEQUENCE sender_number TO takt_desk;
