-- What a site says otherwise than the built-in contract: each version is kept, the one with the greatest number is in force.
CREATE TABLE contract_version (
    site TEXT NOT NULL,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    person TEXT NOT NULL,
    -- The document's name or address, or what else it came from.
    source TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (site, number)
) STRICT;
