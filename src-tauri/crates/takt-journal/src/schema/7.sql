-- What was answered before secrets were removed from it is cleaned at the next start, in pieces: up to which attempt, as JSON.
INSERT INTO setting (name, value)
SELECT 'answers-to-be-cleaned', '[0,0]' WHERE EXISTS (SELECT 1 FROM attempt WHERE answer IS NOT NULL);

-- Nothing else of an attempt that has ended changes, and that only until it is clean.
DROP TRIGGER attempt_ends_once;
CREATE TRIGGER attempt_ends_once
BEFORE UPDATE OF submission, batch, started, wire_hash, items, rows, ended, status, class, milliseconds, log_id, pending,
    accepted, rejected, in_doubt, numbers ON attempt
WHEN OLD.ended IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the attempt has ended'); END;
CREATE TRIGGER attempt_answered_once BEFORE UPDATE OF answer ON attempt
WHEN OLD.ended IS NOT NULL AND NOT EXISTS (SELECT 1 FROM setting WHERE name = 'answers-to-be-cleaned')
BEGIN SELECT RAISE(ABORT, 'the attempt has ended'); END;
