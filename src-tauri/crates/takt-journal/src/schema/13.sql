-- What is sent for an item never changes, and what becomes of it does twice while it is sent: each time the page that it lies on is written to
-- the log. So the texts lie apart, and a page holds the items of a request and not six of them. What was written down before stays where
-- it is: an item whose own text is empty has it here.
CREATE TABLE item_body (
    submission INTEGER NOT NULL,
    item       INTEGER NOT NULL,
    body       TEXT NOT NULL,
    PRIMARY KEY (submission, item),
    FOREIGN KEY (submission, item) REFERENCES item (submission, number)
) STRICT;

-- An index that depends on the result takes each of these changes, too. What people look at are few among many; whoever looks for others
-- walks along the items' numbers. It is unique, as the number is already, so that it is known to give them in their order.
DROP INDEX item_by_result;
CREATE UNIQUE INDEX item_noted ON item (submission, result, number) WHERE result = 'rejected' OR result = 'unconfirmed';
