-- What becomes of an item changes twice and more while it is sent. An index that depends on it would take each of these changes into all
-- indexes, so none does: whoever looks for a submission's items by their result walks along their numbers.
DROP INDEX item_by_result;
-- Room for an item's next version beside it. What was written down before stays as it lies.
ALTER TABLE item SET (fillfactor = 50);

-- But what people look at are few among many: `noted` is the result where it is rejected or unconfirmed, and nothing else. While items are
-- accepted it stays as it is.
ALTER TABLE item ADD COLUMN noted TEXT;
UPDATE item SET noted = result WHERE result IN ('rejected', 'unconfirmed');
CREATE INDEX item_noted ON item (submission, noted, number) WHERE noted IS NOT NULL;
-- After the change and not before it: a trigger before it would lock each item once more.
CREATE FUNCTION note_item() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
BEGIN
    UPDATE takt.item SET noted = CASE WHEN result IN ('rejected', 'unconfirmed') THEN result END
        WHERE submission = NEW.submission AND number = NEW.number;
    RETURN NULL;
END $body$;
CREATE TRIGGER note_item AFTER INSERT OR UPDATE ON item FOR EACH ROW
    WHEN (NEW.noted IS DISTINCT FROM CASE WHEN NEW.result IN ('rejected', 'unconfirmed') THEN NEW.result END)
    EXECUTE FUNCTION note_item();

-- The planner need not know what bodies and reasons are like: they are long, and looked at for each submission that is written down.
ALTER TABLE item ALTER body SET STATISTICS 0, ALTER reasons SET STATISTICS 0;
ALTER TABLE before ALTER body SET STATISTICS 0;
