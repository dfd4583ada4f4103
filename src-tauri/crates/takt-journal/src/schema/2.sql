-- What a list of a site held when it was last read, as the engine wrote it down: `body` is JSON.
CREATE TABLE reference (
    site TEXT NOT NULL,
    list TEXT NOT NULL,
    body TEXT NOT NULL,
    at   TEXT NOT NULL,
    PRIMARY KEY (site, list)
) STRICT;
