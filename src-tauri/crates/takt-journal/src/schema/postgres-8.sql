-- Events and targets that a desk brought along when it joined.

-- An event that came along goes to no target by itself: to one that it was waiting for it is `owed`.
ALTER TABLE event ADD COLUMN carried SMALLINT NOT NULL DEFAULT 0 CHECK (carried IN (0, 1));
DROP INDEX event_forwardable;
CREATE INDEX event_forwardable ON event (site, id)
    WHERE replay = 0 AND carried = 0 AND signed IN ('unchecked', 'valid');

-- Which event of a desk's own file one is, so that none comes twice; also after it was purged.
CREATE TABLE carried_event (
    -- The name of the file, which no two have alike.
    origin TEXT COLLATE "C" NOT NULL,
    own_id BIGINT NOT NULL,
    event  BIGINT NOT NULL,
    PRIMARY KEY (origin, own_id)
);

-- Which target of a desk's own file one is.
CREATE TABLE carried_target (
    origin TEXT COLLATE "C" NOT NULL,
    own_id BIGINT NOT NULL,
    target BIGINT NOT NULL,
    -- Made for it, and not in use before all that it brings is there: as it is to be then.
    made   SMALLINT NOT NULL CHECK (made IN (0, 1)),
    paused SMALLINT NOT NULL CHECK (paused IN (0, 1)),
    PRIMARY KEY (origin, own_id)
);

-- Events that a target is to get beside its queue, before it, in their order.
CREATE TABLE owed (
    target   BIGINT NOT NULL REFERENCES target (id) ON DELETE CASCADE,
    event    BIGINT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    -- The delivery's id where the event has none; absent: the one that any event of the team gets.
    delivery TEXT,
    PRIMARY KEY (target, event)
);
CREATE INDEX owed_by_event ON owed (event);

GRANT SELECT, INSERT ON carried_event TO takt_desk;
GRANT SELECT, INSERT, UPDATE, DELETE ON carried_target, owed TO takt_desk;
