-- Who sent it (the name of the computer's account), and the mapping that was used, as JSON.
ALTER TABLE submission ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE submission ADD COLUMN mapping TEXT;
-- The submission that this one repeats, retries or takes back.
ALTER TABLE submission ADD COLUMN follows INTEGER REFERENCES submission (id);
ALTER TABLE submission ADD COLUMN relation TEXT CHECK (relation IN ('retry', 'again', 'undo'));
CREATE INDEX submission_by_followed ON submission (follows) WHERE follows IS NOT NULL;
-- A trial run: the number of the last item that may be sent; absent where all may.
ALTER TABLE submission ADD COLUMN trial INTEGER;
-- Items per request as they were asked for; `batch_size` is smaller while the service takes no more. Absent: the same.
ALTER TABLE submission ADD COLUMN asked_size INTEGER;

-- What the change preview said of the item.
ALTER TABLE item ADD COLUMN change TEXT CHECK (change IN ('new', 'changed', 'same', 'conflict', 'unknown'));

-- What the service held of an item before it was sent: JSON of the contract's request shape. No row where nothing was known.
CREATE TABLE before (
    submission INTEGER NOT NULL,
    item       INTEGER NOT NULL,
    body       TEXT NOT NULL,
    PRIMARY KEY (submission, item),
    FOREIGN KEY (submission, item) REFERENCES item (submission, number)
) STRICT, WITHOUT ROWID;

-- Which items a request carried (numbers and spans: 1-100,105), and the beginning of an answer that wasn't a plain yes.
ALTER TABLE attempt ADD COLUMN numbers TEXT NOT NULL DEFAULT '';
ALTER TABLE attempt ADD COLUMN answer TEXT;

-- What the history finds rows by: their keys are searched through in here, never in the items themselves.
CREATE INDEX item_by_key ON item (submission, key);
