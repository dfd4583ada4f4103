-- Approvals: what must wait for a second person, and what that person decided. Desks read the rules and can't change them.
CREATE TABLE approval_rule (
    -- The service, by its address.
    base_url   TEXT COLLATE "C" PRIMARY KEY,
    -- More rows than these wait; absent: rows are no reason to.
    rows_above BIGINT CHECK (rows_above >= 0),
    deletes    BOOLEAN NOT NULL,
    CHECK (deletes OR rows_above IS NOT NULL)
);

-- Nothing of a plan is sent before it is approved.
CREATE TABLE approval (
    plan          BIGINT PRIMARY KEY REFERENCES submission (id),
    rows          BIGINT NOT NULL,
    deletes       BOOLEAN NOT NULL,
    asked         TEXT NOT NULL,
    asked_by      TEXT NOT NULL,
    -- The names by which the two desks signed in to the database.
    asked_login   TEXT NOT NULL DEFAULT session_user,
    decision      TEXT CHECK (decision IN ('approved', 'declined')),
    decided       TEXT,
    decided_by    TEXT,
    decided_login TEXT,
    note          TEXT NOT NULL DEFAULT '',
    CHECK ((decision IS NULL) = (decided IS NULL) AND (decision IS NULL) = (decided_by IS NULL))
);
CREATE INDEX approval_open ON approval (plan) WHERE decision IS NULL;

CREATE FUNCTION approval_is_decided_once() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'it is decided already' USING ERRCODE = 'integrity_constraint_violation';
END $body$;
CREATE TRIGGER approval_is_decided_once BEFORE UPDATE ON approval FOR EACH ROW WHEN (OLD.decision IS NOT NULL)
    EXECUTE FUNCTION approval_is_decided_once();

-- Whatever a desk does: no request is written down, and so none is sent, of what waits or was declined.
CREATE FUNCTION attempt_is_approved() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
BEGIN
    IF EXISTS (SELECT 1 FROM takt.approval JOIN takt.submission USING (plan)
               WHERE submission.id = NEW.submission AND approval.decision IS DISTINCT FROM 'approved') THEN
        RAISE EXCEPTION 'it is not approved' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $body$;
CREATE TRIGGER attempt_is_approved BEFORE INSERT ON attempt FOR EACH ROW EXECUTE FUNCTION attempt_is_approved();

GRANT SELECT ON approval_rule TO takt_desk;
GRANT SELECT, INSERT, UPDATE ON approval TO takt_desk;

-- What desks brought along when they joined: which submission of a desk's own file one was, so that none comes twice.
CREATE TABLE carried_over (
    -- The name of the file, which no two have alike.
    journal    TEXT COLLATE "C" NOT NULL,
    own_id     BIGINT NOT NULL,
    submission BIGINT NOT NULL REFERENCES submission (id),
    PRIMARY KEY (journal, own_id)
);
GRANT SELECT, INSERT ON carried_over TO takt_desk;
