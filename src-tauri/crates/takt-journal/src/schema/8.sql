-- Every submission is a step of a plan: what was sent by itself is the only one of its own.
UPDATE submission SET plan = id WHERE plan IS NULL;
