-- Keys of rows that were beside an item before it was deleted, as a JSON list: a list that loses these, too, doesn't prove that the item is
-- gone. NULL where none were seen.
ALTER TABLE before ADD COLUMN neighbors TEXT;
