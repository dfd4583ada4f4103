-- What became of a row is its result, and a result that nobody knows is unconfirmed.
ALTER TABLE submission RENAME COLUMN in_doubt TO unconfirmed;
ALTER TABLE attempt RENAME COLUMN in_doubt TO unconfirmed;
ALTER TABLE item RENAME COLUMN fate TO result;
DROP INDEX item_by_fate;
CREATE INDEX item_by_result ON item (submission, result, number);
-- A check can't be altered. What it allows changes nothing in the file's rows, so its text is changed, and a large journal isn't
-- copied.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''in_doubt''', '''unconfirmed''') WHERE type = 'table' AND name = 'item';
PRAGMA writable_schema = RESET;
UPDATE item SET result = 'unconfirmed' WHERE result = 'in_doubt';
