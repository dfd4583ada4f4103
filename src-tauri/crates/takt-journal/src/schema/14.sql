-- Attempts of the item whose effect isn't known. After one of these a refusal proves nothing, and the item is sent at most once more without
-- a decision.
ALTER TABLE item ADD COLUMN unknown_attempts INTEGER NOT NULL DEFAULT 0;
