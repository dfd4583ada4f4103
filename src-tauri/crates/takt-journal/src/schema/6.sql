-- True while a submission is being written down: nothing of it may be sent, and what a dead Takt left of it is discarded.
ALTER TABLE submission ADD COLUMN preparing INTEGER NOT NULL DEFAULT 0 CHECK (preparing IN (0, 1));
CREATE INDEX submission_in_preparation ON submission (id) WHERE preparing;

-- When a submission's items, rows and requests were removed; its counters stay.
ALTER TABLE submission ADD COLUMN purged TEXT;
DROP TRIGGER attempt_stays;
CREATE TRIGGER attempt_stays BEFORE DELETE ON attempt
WHEN (SELECT purged FROM submission WHERE id = OLD.submission) IS NULL
BEGIN SELECT RAISE(ABORT, 'attempts are kept'); END;
