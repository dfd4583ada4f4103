-- A list of words in a check is made into a table of its own with each statement, and each row's word is looked up in there; words that
-- are compared one after the other aren't. What the checks allow stays the same, so their texts are changed and nothing is copied.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql,
    'CHECK (result IN (''pending'', ''sending'', ''accepted'', ''rejected'', ''unconfirmed'', ''skipped''))',
    'CHECK (result = ''pending'' OR result = ''sending'' OR result = ''accepted'' OR result = ''rejected'' OR result = ''unconfirmed''
                      OR result = ''skipped'')'),
    'CHECK (change IN (''new'', ''changed'', ''same'', ''conflict'', ''unknown''))',
    'CHECK (change = ''new'' OR change = ''changed'' OR change = ''same'' OR change = ''conflict'' OR change = ''unknown'')')
    WHERE type = 'table' AND name = 'item';
PRAGMA writable_schema = RESET;
