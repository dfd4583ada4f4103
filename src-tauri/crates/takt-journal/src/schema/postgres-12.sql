-- How often a person has resumed the target, changed it, or had it tried at once: a delivery that began before says nothing about it since.
ALTER TABLE target ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;

-- The same signature of the same bytes has this number, whatever delivery's id comes with it. Absent where the signature covers the id, or
-- isn't valid.
ALTER TABLE event ADD COLUMN signed_key BIGINT;
CREATE INDEX event_by_signed_key ON event (signed_key, id) WHERE signed_key IS NOT NULL;

-- Events that aren't believed, so that they can be removed alone.
CREATE INDEX event_unverified ON event (site, id) WHERE signed NOT IN ('unchecked', 'valid');

-- What events take that aren't believed: anybody can send them, so they are bounded.
CREATE TABLE unverified (
    site          TEXT COLLATE "C" PRIMARY KEY,
    -- Bytes of those that are stored.
    bytes         BIGINT NOT NULL,
    -- Hours since 1970, and how many were stored in that one.
    hour          BIGINT NOT NULL,
    stored        BIGINT NOT NULL,
    -- How many weren't stored, and when the first and the last of them came.
    omitted       BIGINT NOT NULL DEFAULT 0,
    omitted_first BIGINT,
    omitted_last  BIGINT
);
INSERT INTO unverified (site, bytes, hour, stored)
    SELECT site, CAST(SUM(octet_length(body) + octet_length(headers) + 1024) AS BIGINT), 0, 0 FROM event
    WHERE signed NOT IN ('unchecked', 'valid') GROUP BY site;
GRANT SELECT, INSERT, UPDATE, DELETE ON unverified TO takt_desk;
