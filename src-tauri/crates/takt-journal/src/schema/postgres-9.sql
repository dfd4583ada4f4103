-- A submission is written down in pieces of thousands of rows, and a foreign key asks for each row by itself: that took more time than the
-- writing. That an item belongs to a submission, and a row and what the service held before to an item, is held by triggers instead, which ask
-- once for a statement.
ALTER TABLE item DROP CONSTRAINT item_submission_fkey;
ALTER TABLE row DROP CONSTRAINT row_submission_item_fkey;
ALTER TABLE before DROP CONSTRAINT before_submission_item_fkey;

-- The lock is the one of the items' submission: whoever adds a part of an item shares it, and whoever removes items has it alone. The
-- question behind it sees what was committed until then. It looks each one up in the primary key, and in no other index: by two columns that are
-- equal the planner may as well go through a whole submission of which it knows nothing yet. A span of one number that comes in its order leaves
-- it no choice, as nothing may be sorted.
CREATE FUNCTION part_has_item() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = takt, pg_temp SET enable_sort = off SET enable_incremental_sort = off AS $body$
BEGIN
    PERFORM FROM submission WHERE id = ANY (ARRAY(SELECT DISTINCT submission FROM added)) ORDER BY id FOR KEY SHARE;
    IF EXISTS (SELECT FROM added WHERE
            (SELECT TRUE FROM item WHERE item.submission = added.submission
                AND item.number BETWEEN added.item AND added.item ORDER BY item.number) IS NULL) THEN
        RAISE EXCEPTION 'a part of no item' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $body$;
CREATE TRIGGER row_has_item AFTER INSERT ON row REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION part_has_item();
CREATE TRIGGER before_has_item AFTER INSERT ON before REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION part_has_item();

CREATE FUNCTION item_leaves_no_part() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = takt, pg_temp SET enable_sort = off SET enable_incremental_sort = off AS $body$
BEGIN
    PERFORM FROM submission WHERE id = ANY (ARRAY(SELECT DISTINCT submission FROM removed)) ORDER BY id FOR UPDATE;
    IF EXISTS (SELECT FROM removed WHERE
            (SELECT TRUE FROM row WHERE row.submission = removed.submission
                AND row.item BETWEEN removed.number AND removed.number ORDER BY row.item LIMIT 1)
            OR (SELECT TRUE FROM before WHERE before.submission = removed.submission
                AND before.item BETWEEN removed.number AND removed.number ORDER BY before.item)) THEN
        RAISE EXCEPTION 'an item with parts' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $body$;
CREATE TRIGGER item_leaves_no_part AFTER DELETE ON item REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION item_leaves_no_part();

-- Who removes a submission has its row alone already.
CREATE FUNCTION item_has_submission() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = takt, pg_temp AS $body$
BEGIN
    PERFORM FROM submission WHERE id = ANY (ARRAY(SELECT DISTINCT submission FROM added)) ORDER BY id FOR KEY SHARE;
    IF EXISTS (SELECT FROM (SELECT DISTINCT submission AS id FROM added) AS named
            WHERE NOT EXISTS (SELECT FROM submission WHERE submission.id = named.id)) THEN
        RAISE EXCEPTION 'an item of no submission' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $body$;
CREATE TRIGGER item_has_submission AFTER INSERT ON item REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION item_has_submission();

CREATE FUNCTION submission_leaves_no_item() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = takt, pg_temp SET enable_sort = off SET enable_incremental_sort = off AS $body$
BEGIN
    IF EXISTS (SELECT FROM removed WHERE
            (SELECT TRUE FROM item WHERE item.submission = removed.id ORDER BY item.number LIMIT 1)) THEN
        RAISE EXCEPTION 'a submission with items' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $body$;
CREATE TRIGGER submission_leaves_no_item AFTER DELETE ON submission REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION submission_leaves_no_item();

CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation', TABLE = TG_TABLE_NAME;
END $body$;
-- A transaction of another isolation doesn't see what was committed while it waited for the lock.
CREATE TRIGGER row_reads_committed BEFORE INSERT ON row FOR EACH STATEMENT
    WHEN (current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted'))
    EXECUTE FUNCTION refuse('rows are added by a transaction that reads what is committed');
CREATE TRIGGER before_reads_committed BEFORE INSERT ON before FOR EACH STATEMENT
    WHEN (current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted'))
    EXECUTE FUNCTION refuse('what was before is added by a transaction that reads what is committed');
CREATE TRIGGER item_reads_committed BEFORE DELETE ON item FOR EACH STATEMENT
    WHEN (current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted'))
    EXECUTE FUNCTION refuse('items are removed by a transaction that reads what is committed');
CREATE TRIGGER submission_reads_committed BEFORE DELETE ON submission FOR EACH STATEMENT
    WHEN (current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted'))
    EXECUTE FUNCTION refuse('submissions are removed by a transaction that reads what is committed');
-- By what they refer to each other never changes, and none is removed past the triggers.
CREATE TRIGGER submission_stays BEFORE UPDATE OF id ON submission FOR EACH STATEMENT
    EXECUTE FUNCTION refuse('a submission keeps its number');
CREATE TRIGGER item_stays BEFORE UPDATE OF submission, number ON item FOR EACH STATEMENT
    EXECUTE FUNCTION refuse('an item keeps its number');
CREATE TRIGGER row_stays BEFORE UPDATE OF submission, item ON row FOR EACH STATEMENT
    EXECUTE FUNCTION refuse('a row keeps its item');
CREATE TRIGGER before_stays BEFORE UPDATE OF submission, item ON before FOR EACH STATEMENT
    EXECUTE FUNCTION refuse('what was before keeps its item');
CREATE TRIGGER item_is_kept BEFORE TRUNCATE ON item FOR EACH STATEMENT
    EXECUTE FUNCTION refuse('items are removed by their numbers');
CREATE TRIGGER submission_is_kept BEFORE TRUNCATE ON submission FOR EACH STATEMENT
    EXECUTE FUNCTION refuse('submissions are removed by their numbers');

REVOKE EXECUTE ON FUNCTION part_has_item(), item_leaves_no_part(), item_has_submission(), submission_leaves_no_item(), refuse() FROM PUBLIC;

-- The planner looks at fewer rows than by itself when a large submission was written down.
ALTER FUNCTION refresh_statistics() SET default_statistics_target = 20;
