-- Where the site was when it was written down, also for its mapping and its rows of `before`: what was kept of one service is
-- never used at another. Empty for the practice plant, which is never elsewhere, and where it isn't known.
ALTER TABLE submission ADD COLUMN base_url TEXT NOT NULL DEFAULT '';
ALTER TABLE submission ADD COLUMN auth_url TEXT NOT NULL DEFAULT '';
UPDATE submission SET
    base_url = COALESCE((SELECT json_extract(body, '$.baseUrl') FROM site WHERE name = submission.site), ''),
    auth_url = COALESCE((SELECT json_extract(body, '$.authUrl') FROM site WHERE name = submission.site), '');
