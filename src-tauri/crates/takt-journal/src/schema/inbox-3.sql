-- How often a person has resumed the target, changed it, or had it tried at once: a delivery that began before says nothing about it since.
ALTER TABLE target ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

-- The same signature of the same bytes has this number, whatever delivery's id comes with it. Absent where the signature covers the id, or
-- isn't valid.
ALTER TABLE event ADD COLUMN signed_key INTEGER;

-- Events that aren't believed, so that they can be removed alone.
CREATE INDEX event_unverified ON event (site, id) WHERE signed NOT IN ('unchecked', 'valid');

-- What events take that aren't believed: anybody can send them, so they are bounded.
CREATE TABLE unverified (
    site          TEXT PRIMARY KEY,
    -- Bytes of those that are stored.
    bytes         INTEGER NOT NULL,
    -- Hours since 1970, and how many were stored in that one.
    hour          INTEGER NOT NULL,
    stored        INTEGER NOT NULL,
    -- How many weren't stored, and when the first and the last of them came.
    omitted       INTEGER NOT NULL DEFAULT 0,
    omitted_first INTEGER,
    omitted_last  INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO unverified (site, bytes, hour, stored)
    SELECT site, SUM(octet_length(body) + octet_length(headers) + 1024), 0, 0 FROM event
    WHERE signed NOT IN ('unchecked', 'valid') GROUP BY site;
