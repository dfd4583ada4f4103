-- How many rows of a submission are being sent changes with each request. An index that depends on it would take each of these changes
-- into all indexes; whether a submission has ended changes seldom, and none that has is sending.
DROP INDEX submission_sending;
CREATE INDEX submission_open ON submission (id) WHERE ended IS NULL;
-- Room for these changes beside the row.
ALTER TABLE submission SET (fillfactor = 60);
