-- Headers that an earlier Takt kept as they came: who sends may send what is secret along.
UPDATE event SET headers = (
    SELECT json_group_array(CASE
        WHEN lower(json_extract(value, '$[0]')) IN
            ('authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'api-key')
        THEN json_array(json_extract(value, '$[0]'), '[removed]') ELSE json(value) END)
    FROM json_each(event.headers))
WHERE headers LIKE '%authorization"%' OR headers LIKE '%cookie"%' OR headers LIKE '%api-key"%';
UPDATE copy SET headers = (
    SELECT json_group_array(CASE
        WHEN lower(json_extract(value, '$[0]')) IN
            ('authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'api-key')
        THEN json_array(json_extract(value, '$[0]'), '[removed]') ELSE json(value) END)
    FROM json_each(copy.headers))
WHERE headers LIKE '%authorization"%' OR headers LIKE '%cookie"%' OR headers LIKE '%api-key"%';
