-- A submission is written down in pieces of thousands of rows, and a foreign key asks for each row by itself: that took more time than writing.
-- What three of them said is said by statements' triggers instead, once for all rows of a statement.
ALTER TABLE item DROP CONSTRAINT item_submission_fkey;
ALTER TABLE row DROP CONSTRAINT row_submission_item_fkey;
ALTER TABLE before DROP CONSTRAINT before_submission_item_fkey;

-- A submission's own row is the lock, as its key was: whoever adds something to it shares that lock, and whoever removes something that others
-- may refer to has it alone. Each question sees what was committed before the lock was there. In another isolation it wouldn't.
-- Plans are kept while tables grow, so each way to a row is an index.
CREATE FUNCTION lock_submissions(ids BIGINT[], alone BOOLEAN) RETURNS BIGINT LANGUAGE plpgsql AS $body$
DECLARE
    found BIGINT;
BEGIN
    IF cardinality(ids) > 0 AND current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION 'items are written in transactions that read what is committed' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF alone THEN
        PERFORM 1 FROM takt.submission WHERE id = ANY (ids) ORDER BY id FOR UPDATE;
    ELSE
        PERFORM 1 FROM takt.submission WHERE id = ANY (ids) ORDER BY id FOR KEY SHARE;
    END IF;
    GET DIAGNOSTICS found = ROW_COUNT;
    RETURN found;
END $body$;
GRANT EXECUTE ON FUNCTION lock_submissions(BIGINT[], BOOLEAN) TO takt_desk;

CREATE FUNCTION item_has_submission() RETURNS TRIGGER LANGUAGE plpgsql SET enable_seqscan = off AS $body$
DECLARE
    ids BIGINT[] := ARRAY(SELECT DISTINCT submission FROM added);
BEGIN
    IF takt.lock_submissions(ids, FALSE) <> cardinality(ids) THEN
        RAISE EXCEPTION 'an item of no submission' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $body$;
CREATE TRIGGER item_has_submission AFTER INSERT ON item REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION item_has_submission();

CREATE FUNCTION part_has_item() RETURNS TRIGGER LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
BEGIN
    PERFORM takt.lock_submissions(ARRAY(SELECT DISTINCT submission FROM added), FALSE);
    IF EXISTS (SELECT 1 FROM added WHERE NOT EXISTS
                   (SELECT 1 FROM takt.item WHERE item.submission = added.submission AND item.number = added.item)) THEN
        RAISE EXCEPTION 'a part of no item' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $body$;
CREATE TRIGGER row_has_item AFTER INSERT ON row REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION part_has_item();
CREATE TRIGGER before_has_item AFTER INSERT ON before REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION part_has_item();

CREATE FUNCTION item_leaves_no_part() RETURNS TRIGGER LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
BEGIN
    PERFORM takt.lock_submissions(ARRAY(SELECT DISTINCT submission FROM removed), TRUE);
    -- One that was removed and is there again has its parts.
    IF EXISTS (SELECT 1 FROM removed
               WHERE (EXISTS (SELECT 1 FROM takt.row WHERE row.submission = removed.submission AND row.item = removed.number)
                      OR EXISTS (SELECT 1 FROM takt.before WHERE before.submission = removed.submission AND before.item = removed.number))
                 AND NOT EXISTS (SELECT 1 FROM takt.item WHERE item.submission = removed.submission AND item.number = removed.number)) THEN
        RAISE EXCEPTION 'an item with parts' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $body$;
CREATE TRIGGER item_leaves_no_part AFTER DELETE ON item REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION item_leaves_no_part();

CREATE FUNCTION submission_leaves_no_item() RETURNS TRIGGER LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
BEGIN
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION 'submissions are removed in transactions that read what is committed' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    -- Who removed it has its row alone.
    IF EXISTS (SELECT 1 FROM removed WHERE EXISTS (SELECT 1 FROM takt.item WHERE item.submission = removed.id)
                   AND NOT EXISTS (SELECT 1 FROM takt.submission WHERE submission.id = removed.id)) THEN
        RAISE EXCEPTION 'a submission with items' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $body$;
CREATE TRIGGER submission_leaves_no_item AFTER DELETE ON submission REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION submission_leaves_no_item();

-- By what they refer to each other never changes, and none of these tables is emptied as a whole.
CREATE FUNCTION stays_as_it_is() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'what others refer to stays as it is' USING ERRCODE = 'foreign_key_violation';
END $body$;
CREATE TRIGGER submission_stays BEFORE UPDATE OF id ON submission FOR EACH STATEMENT EXECUTE FUNCTION stays_as_it_is();
CREATE TRIGGER item_stays BEFORE UPDATE OF submission, number ON item FOR EACH STATEMENT EXECUTE FUNCTION stays_as_it_is();
CREATE TRIGGER row_stays BEFORE UPDATE OF submission, item ON row FOR EACH STATEMENT EXECUTE FUNCTION stays_as_it_is();
CREATE TRIGGER before_stays BEFORE UPDATE OF submission, item ON before FOR EACH STATEMENT EXECUTE FUNCTION stays_as_it_is();
CREATE TRIGGER submission_is_kept BEFORE TRUNCATE ON submission FOR EACH STATEMENT EXECUTE FUNCTION stays_as_it_is();
CREATE TRIGGER item_is_kept BEFORE TRUNCATE ON item FOR EACH STATEMENT EXECUTE FUNCTION stays_as_it_is();

-- What the planner looks at for each large submission that is written down: fewer rows than it would by itself. The largest number counts.
ALTER TABLE item ALTER submission SET STATISTICS 20, ALTER number SET STATISTICS 20, ALTER key SET STATISTICS 20, ALTER rows SET STATISTICS 20,
    ALTER result SET STATISTICS 20, ALTER batch SET STATISTICS 20, ALTER change SET STATISTICS 20, ALTER noted SET STATISTICS 20;
ALTER TABLE row ALTER submission SET STATISTICS 20, ALTER item SET STATISTICS 20, ALTER sheet SET STATISTICS 20, ALTER row SET STATISTICS 20;
ALTER TABLE before ALTER submission SET STATISTICS 20, ALTER item SET STATISTICS 20;
ALTER TABLE wait ALTER submission SET STATISTICS 20, ALTER item SET STATISTICS 20, ALTER reference SET STATISTICS 20,
    ALTER other_submission SET STATISTICS 20, ALTER other_item SET STATISTICS 20;
