-- A plan is named after its first submission; absent where a submission is none's part.
ALTER TABLE submission ADD COLUMN plan INTEGER REFERENCES submission (id);
CREATE INDEX submission_by_plan ON submission (plan) WHERE plan IS NOT NULL;

-- What a pending item waits for: for each of its references one of these others must be accepted. Removed once that is so.
CREATE TABLE wait (
    submission       INTEGER NOT NULL,
    item             INTEGER NOT NULL,
    reference        INTEGER NOT NULL,
    other_submission INTEGER NOT NULL,
    other_item       INTEGER NOT NULL,
    PRIMARY KEY (submission, item, reference, other_submission, other_item),
    FOREIGN KEY (submission, item) REFERENCES item (submission, number),
    FOREIGN KEY (other_submission, other_item) REFERENCES item (submission, number)
) STRICT, WITHOUT ROWID;
