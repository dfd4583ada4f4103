SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA takt;
CREATE FUNCTION takt.approval_is_decided_once() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'it is decided already' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE FUNCTION takt.attempt_ends_once() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'the attempt has ended' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE FUNCTION takt.attempt_is_approved() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM takt.approval JOIN takt.submission USING (plan)
               WHERE submission.id = NEW.submission AND approval.decision IS DISTINCT FROM 'approved') THEN
        RAISE EXCEPTION 'it is not approved' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION takt.attempt_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (SELECT purged FROM takt.submission WHERE id = OLD.submission) IS NULL THEN
        RAISE EXCEPTION 'attempts are kept' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END $$;
CREATE FUNCTION takt.item_has_submission() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'takt', 'pg_temp'
    AS $$
BEGIN
    PERFORM FROM submission WHERE id = ANY (ARRAY(SELECT DISTINCT submission FROM added)) ORDER BY id FOR KEY SHARE;
    IF EXISTS (SELECT FROM (SELECT DISTINCT submission AS id FROM added) AS named
            WHERE NOT EXISTS (SELECT FROM submission WHERE submission.id = named.id)) THEN
        RAISE EXCEPTION 'an item of no submission' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION takt.item_leaves_no_part() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'takt', 'pg_temp'
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    AS $$
BEGIN
    PERFORM FROM submission WHERE id = ANY (ARRAY(SELECT DISTINCT submission FROM removed)) ORDER BY id FOR UPDATE;
    IF EXISTS (SELECT FROM removed WHERE
            (SELECT TRUE FROM row WHERE row.submission = removed.submission
                AND row.item BETWEEN removed.number AND removed.number ORDER BY row.item LIMIT 1)
            OR (SELECT TRUE FROM before WHERE before.submission = removed.submission
                AND before.item BETWEEN removed.number AND removed.number ORDER BY before.item)) THEN
        RAISE EXCEPTION 'an item with parts' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION takt.julianday(moment text) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$SELECT CAST(extract(epoch FROM CAST(moment AS TIMESTAMPTZ)) / 86400 + 2440587.5 AS DOUBLE PRECISION)$$;
CREATE FUNCTION takt.next_event_number() RETURNS bigint
    LANGUAGE sql
    AS $$UPDATE takt.event_number SET last = last + 1 RETURNING last$$;
CREATE FUNCTION takt.note_item() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE takt.item SET noted = CASE WHEN result IN ('rejected', 'unconfirmed') THEN result END
        WHERE submission = NEW.submission AND number = NEW.number;
    RETURN NULL;
END $$;
CREATE FUNCTION takt.part_has_item() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'takt', 'pg_temp'
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    AS $$
BEGIN
    PERFORM FROM submission WHERE id = ANY (ARRAY(SELECT DISTINCT submission FROM added)) ORDER BY id FOR KEY SHARE;
    IF EXISTS (SELECT FROM added WHERE
            (SELECT TRUE FROM item WHERE item.submission = added.submission
                AND item.number BETWEEN added.item AND added.item ORDER BY item.number) IS NULL) THEN
        RAISE EXCEPTION 'a part of no item' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION takt.purge_shared_changes(moment text) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'takt', 'pg_temp'
    AS $$
    WITH gone AS (DELETE FROM shared_change WHERE julianday(at) < julianday(moment) RETURNING 1) SELECT COUNT(*) FROM gone
$$;
CREATE FUNCTION takt.refresh_statistics() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'takt', 'pg_temp'
    SET default_statistics_target TO '20'
    AS $$
BEGIN
    ANALYZE item, row, before, wait;
END $$;
CREATE FUNCTION takt.refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation', TABLE = TG_TABLE_NAME;
END $$;
CREATE FUNCTION takt.submission_leaves_no_item() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'takt', 'pg_temp'
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    AS $$
BEGIN
    IF EXISTS (SELECT FROM removed WHERE
            (SELECT TRUE FROM item WHERE item.submission = removed.id ORDER BY item.number LIMIT 1)) THEN
        RAISE EXCEPTION 'a submission with items' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE takt.answer (
    event bigint NOT NULL,
    at bigint NOT NULL,
    allowed smallint NOT NULL,
    by text NOT NULL COLLATE pg_catalog."C",
    told text NOT NULL,
    milliseconds bigint NOT NULL,
    CONSTRAINT answer_allowed_check CHECK ((allowed = ANY (ARRAY[0, 1]))),
    CONSTRAINT answer_by_check CHECK ((by = ANY (ARRAY['rule'::text, 'default'::text, 'failure'::text, 'slow'::text])))
);
CREATE TABLE takt.approval (
    plan bigint NOT NULL,
    rows bigint NOT NULL,
    deletes boolean NOT NULL,
    asked text NOT NULL,
    asked_by text NOT NULL,
    asked_login text DEFAULT SESSION_USER NOT NULL,
    decision text,
    decided text,
    decided_by text,
    decided_login text,
    note text DEFAULT ''::text NOT NULL,
    CONSTRAINT approval_check CHECK ((((decision IS NULL) = (decided IS NULL)) AND ((decision IS NULL) = (decided_by IS NULL)))),
    CONSTRAINT approval_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'declined'::text])))
);
CREATE TABLE takt.approval_rule (
    base_url text NOT NULL COLLATE pg_catalog."C",
    rows_above bigint,
    deletes boolean NOT NULL,
    CONSTRAINT approval_rule_check CHECK ((deletes OR (rows_above IS NOT NULL))),
    CONSTRAINT approval_rule_rows_above_check CHECK ((rows_above >= 0))
);
CREATE TABLE takt.attempt (
    submission bigint NOT NULL,
    batch bigint NOT NULL,
    started text NOT NULL,
    wire_hash text NOT NULL,
    items bigint NOT NULL,
    rows bigint NOT NULL,
    ended text,
    status bigint,
    class text,
    milliseconds bigint,
    log_id text,
    pending bigint DEFAULT 0 NOT NULL,
    accepted bigint DEFAULT 0 NOT NULL,
    rejected bigint DEFAULT 0 NOT NULL,
    unconfirmed bigint DEFAULT 0 NOT NULL,
    numbers text DEFAULT ''::text NOT NULL,
    answer text,
    CONSTRAINT attempt_class_check CHECK ((class = ANY (ARRAY['answered'::text, 'refused'::text, 'deferred'::text, 'not_sent'::text, 'unknown'::text])))
);
CREATE TABLE takt.before (
    submission bigint NOT NULL,
    item bigint NOT NULL,
    body text NOT NULL,
    neighbors text
);
ALTER TABLE ONLY takt.before ALTER COLUMN body SET STATISTICS 0;
CREATE TABLE takt.carried_event (
    origin text NOT NULL COLLATE pg_catalog."C",
    own_id bigint NOT NULL,
    event bigint NOT NULL
);
CREATE TABLE takt.carried_over (
    journal text NOT NULL COLLATE pg_catalog."C",
    own_id bigint NOT NULL,
    submission bigint NOT NULL
);
CREATE TABLE takt.carried_target (
    origin text NOT NULL COLLATE pg_catalog."C",
    own_id bigint NOT NULL,
    target bigint NOT NULL,
    made smallint NOT NULL,
    paused smallint NOT NULL,
    CONSTRAINT carried_target_made_check CHECK ((made = ANY (ARRAY[0, 1]))),
    CONSTRAINT carried_target_paused_check CHECK ((paused = ANY (ARRAY[0, 1])))
);
CREATE TABLE takt.contract_version (
    site text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    at text NOT NULL,
    person text NOT NULL,
    source text NOT NULL,
    body text NOT NULL
);
CREATE TABLE takt.copy (
    rowid bigint NOT NULL,
    event bigint NOT NULL,
    received bigint NOT NULL,
    headers text NOT NULL
);
ALTER TABLE takt.copy ALTER COLUMN rowid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME takt.copy_rowid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE takt.event (
    id bigint DEFAULT takt.next_event_number() NOT NULL,
    site text NOT NULL COLLATE pg_catalog."C",
    received bigint NOT NULL,
    key bigint NOT NULL,
    headers text NOT NULL,
    body bytea NOT NULL,
    signed text NOT NULL COLLATE pg_catalog."C",
    replay smallint DEFAULT 0 NOT NULL,
    carried smallint DEFAULT 0 NOT NULL,
    signed_key bigint,
    CONSTRAINT event_carried_check CHECK ((carried = ANY (ARRAY[0, 1]))),
    CONSTRAINT event_replay_check CHECK ((replay = ANY (ARRAY[0, 1])))
);
CREATE TABLE takt.event_number (
    last bigint NOT NULL
);
CREATE TABLE takt.event_path (
    site text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL
);
CREATE TABLE takt.event_text (
    rowid bigint NOT NULL,
    words tsvector NOT NULL
);
CREATE TABLE takt.floor (
    one bigint NOT NULL,
    reader bigint NOT NULL,
    event bigint NOT NULL,
    CONSTRAINT floor_one_check CHECK ((one = 1))
);
CREATE TABLE takt.floor_alert (
    site text NOT NULL COLLATE pg_catalog."C",
    alert bigint NOT NULL,
    station text,
    station_name text,
    employee text,
    kind text,
    note text,
    opened bigint NOT NULL,
    acknowledged bigint,
    closed bigint,
    newest bigint NOT NULL,
    event bigint NOT NULL
);
CREATE TABLE takt.floor_late (
    event bigint NOT NULL
);
CREATE TABLE takt.floor_order (
    site text NOT NULL COLLATE pg_catalog."C",
    code text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    since bigint NOT NULL,
    station text,
    station_name text,
    employee text,
    person text,
    material text,
    status text,
    reason text,
    requested double precision,
    good double precision,
    bad double precision,
    begun bigint,
    ended bigint,
    exact smallint NOT NULL,
    recorded bigint,
    event bigint NOT NULL,
    last bigint NOT NULL,
    last_at bigint NOT NULL,
    late bigint NOT NULL,
    CONSTRAINT floor_order_exact_check CHECK ((exact = ANY (ARRAY[0, 1]))),
    CONSTRAINT floor_order_state_check CHECK ((state = ANY (ARRAY['seen'::text, 'planned'::text, 'running'::text, 'paused'::text, 'ended'::text])))
);
CREATE TABLE takt.floor_station (
    site text NOT NULL COLLATE pg_catalog."C",
    code text NOT NULL COLLATE pg_catalog."C",
    name text,
    last bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE takt.forwarded (
    target bigint NOT NULL,
    event bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    tries bigint NOT NULL,
    fault text,
    status bigint,
    told text NOT NULL,
    CONSTRAINT forwarded_state_check CHECK ((state = ANY (ARRAY['taken'::text, 'aside'::text, 'again'::text])))
);
CREATE TABLE takt.gap (
    id bigint NOT NULL,
    site text NOT NULL COLLATE pg_catalog."C",
    since bigint NOT NULL,
    until bigint NOT NULL,
    why text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT gap_why_check CHECK ((why = ANY (ARRAY['off'::text, 'asleep'::text])))
);
ALTER TABLE takt.gap ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME takt.gap_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE takt.item (
    submission bigint NOT NULL,
    number bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL,
    rows bigint NOT NULL,
    result text NOT NULL,
    reasons text,
    batch bigint,
    change text,
    noted text,
    unknown_attempts bigint DEFAULT 0 NOT NULL,
    CONSTRAINT item_change_check CHECK ((change = ANY (ARRAY['new'::text, 'changed'::text, 'same'::text, 'conflict'::text, 'unknown'::text]))),
    CONSTRAINT item_result_check CHECK ((result = ANY (ARRAY['pending'::text, 'sending'::text, 'accepted'::text, 'rejected'::text, 'unconfirmed'::text, 'skipped'::text]))),
    CONSTRAINT item_rows_check CHECK ((rows > 0))
)
WITH (fillfactor='50');
ALTER TABLE ONLY takt.item ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE ONLY takt.item ALTER COLUMN reasons SET STATISTICS 0;
CREATE TABLE takt.mapping (
    operation text NOT NULL COLLATE pg_catalog."C",
    headings text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL,
    at text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE takt.named (
    code text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL COLLATE pg_catalog."C",
    event bigint NOT NULL
);
CREATE TABLE takt.origin (
    name text NOT NULL
);
CREATE TABLE takt.owed (
    target bigint NOT NULL,
    event bigint NOT NULL,
    delivery text
);
CREATE TABLE takt.pulse (
    site text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE takt.reading (
    event bigint NOT NULL,
    site text NOT NULL COLLATE pg_catalog."C",
    received bigint NOT NULL,
    reader bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    kind bigint,
    station text COLLATE pg_catalog."C",
    station_name text,
    employee text COLLATE pg_catalog."C",
    person text,
    description text,
    order_code text,
    orders bigint NOT NULL,
    CONSTRAINT reading_state_check CHECK ((state = ANY (ARRAY['sound'::text, 'odd'::text, 'unknown'::text, 'malformed'::text])))
);
CREATE TABLE takt.reference (
    site text NOT NULL COLLATE pg_catalog."C",
    list text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL,
    at text NOT NULL
);
CREATE TABLE takt."row" (
    submission bigint NOT NULL,
    item bigint NOT NULL,
    sheet text NOT NULL COLLATE pg_catalog."C",
    "row" bigint NOT NULL
);
CREATE TABLE takt.rules (
    site text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    at bigint NOT NULL,
    text text NOT NULL
);
CREATE TABLE takt.sender (
    target bigint NOT NULL,
    number integer NOT NULL,
    seen timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE SEQUENCE takt.sender_number
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
    CYCLE;
CREATE TABLE takt.shared_change (
    id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    site text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    at text NOT NULL,
    person text NOT NULL,
    login text DEFAULT SESSION_USER NOT NULL,
    body text,
    before text,
    CONSTRAINT shared_change_check CHECK (((body IS NOT NULL) OR (before IS NOT NULL)))
);
ALTER TABLE takt.shared_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME takt.shared_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE takt.shared_view (
    site text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL
);
CREATE TABLE takt.submission (
    id bigint NOT NULL,
    operation text NOT NULL COLLATE pg_catalog."C",
    site text NOT NULL COLLATE pg_catalog."C",
    file text NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    sheet text NOT NULL COLLATE pg_catalog."C",
    started text NOT NULL,
    ended text,
    state text NOT NULL,
    batch_size bigint NOT NULL,
    items bigint DEFAULT 0 NOT NULL,
    pending_items bigint DEFAULT 0 NOT NULL,
    total bigint DEFAULT 0 NOT NULL,
    pending bigint DEFAULT 0 NOT NULL,
    sending bigint DEFAULT 0 NOT NULL,
    accepted bigint DEFAULT 0 NOT NULL,
    rejected bigint DEFAULT 0 NOT NULL,
    unconfirmed bigint DEFAULT 0 NOT NULL,
    skipped bigint DEFAULT 0 NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    batches bigint DEFAULT 0 NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    active_ms bigint DEFAULT 0 NOT NULL,
    problem text,
    plan bigint,
    person text DEFAULT ''::text NOT NULL,
    mapping text,
    follows bigint,
    relation text,
    trial bigint,
    asked_size bigint,
    base_url text DEFAULT ''::text NOT NULL,
    auth_url text DEFAULT ''::text NOT NULL,
    preparing boolean DEFAULT false NOT NULL,
    purged text,
    CONSTRAINT submission_accepted_check CHECK ((accepted >= 0)),
    CONSTRAINT submission_batch_size_check CHECK ((batch_size > 0)),
    CONSTRAINT submission_check CHECK (((((((pending + sending) + accepted) + rejected) + unconfirmed) + skipped) = total)),
    CONSTRAINT submission_pending_check CHECK ((pending >= 0)),
    CONSTRAINT submission_pending_items_check CHECK ((pending_items >= 0)),
    CONSTRAINT submission_rejected_check CHECK ((rejected >= 0)),
    CONSTRAINT submission_relation_check CHECK ((relation = ANY (ARRAY['retry'::text, 'again'::text, 'undo'::text]))),
    CONSTRAINT submission_sending_check CHECK ((sending >= 0)),
    CONSTRAINT submission_skipped_check CHECK ((skipped >= 0)),
    CONSTRAINT submission_state_check CHECK ((state = ANY (ARRAY['running'::text, 'paused'::text, 'stopped'::text, 'interrupted'::text, 'finished'::text]))),
    CONSTRAINT submission_unconfirmed_check CHECK ((unconfirmed >= 0))
)
WITH (fillfactor='60');
ALTER TABLE takt.submission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME takt.submission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE takt.taken_up (
    submission bigint NOT NULL,
    at text NOT NULL,
    person text NOT NULL
);
CREATE TABLE takt.target (
    id bigint NOT NULL,
    site text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL,
    kinds text NOT NULL,
    keys text NOT NULL,
    paused smallint DEFAULT 0 NOT NULL,
    began bigint NOT NULL,
    cursor bigint NOT NULL,
    took bigint,
    refused bigint DEFAULT 0 NOT NULL,
    halt text,
    revision bigint DEFAULT 0 NOT NULL,
    CONSTRAINT target_paused_check CHECK ((paused = ANY (ARRAY[0, 1])))
);
ALTER TABLE takt.target ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME takt.target_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE takt.template_remembered (
    site text NOT NULL COLLATE pg_catalog."C",
    template bigint NOT NULL,
    at text NOT NULL
);
CREATE TABLE takt.tried (
    site text NOT NULL COLLATE pg_catalog."C",
    rule text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE takt.unverified (
    site text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL,
    hour bigint NOT NULL,
    stored bigint NOT NULL,
    omitted bigint DEFAULT 0 NOT NULL,
    omitted_first bigint,
    omitted_last bigint
);
CREATE TABLE takt.version (
    number bigint NOT NULL
);
CREATE TABLE takt.wait (
    submission bigint NOT NULL,
    item bigint NOT NULL,
    reference bigint NOT NULL,
    other_submission bigint NOT NULL,
    other_item bigint NOT NULL
);
INSERT INTO takt.attempt VALUES (1, 1, '2026-11-29T16:19:09.40542424Z', 'd2f10af317a30b9949c37284e32d8e82fc0cf34b287b2e80818f095423bcc0b1', 2, 2, '2026-11-29T16:19:09.411502903Z', 200, 'answered', 1, NULL, 0, 2, 0, 0, '1-2', NULL);
INSERT INTO takt.attempt VALUES (2, 1, '2026-11-29T16:19:11.690484531Z', 'fd9a8a4d91ec2001299ce38a16334a9542aad408442bd4d72bb84d5a098259c9', 2, 2, '2026-11-29T16:19:11.695202977Z', 200, 'answered', 1, NULL, 0, 2, 0, 0, '1-2', NULL);
INSERT INTO takt.event_number VALUES (0);
INSERT INTO takt.item VALUES (1, 1, 'WO-910001 · 010', '{"code":"WO-910001","operationCode":"010","materialCode":"MAT-1001","requestedQuantity":5}', 1, 'accepted', NULL, 1, 'new', NULL, 0);
INSERT INTO takt.item VALUES (1, 2, 'WO-910002 · 010', '{"code":"WO-910002","operationCode":"010","materialCode":"MAT-1002","requestedQuantity":6}', 1, 'accepted', NULL, 1, 'new', NULL, 0);
INSERT INTO takt.item VALUES (2, 1, 'WO-910001 · 010', '{"code":"WO-910001","operationCode":"010","materialCode":"MAT-1001","requestedQuantity":7}', 1, 'accepted', NULL, 1, 'new', NULL, 0);
INSERT INTO takt.item VALUES (2, 2, 'WO-910002 · 010', '{"code":"WO-910002","operationCode":"010","materialCode":"MAT-1002","requestedQuantity":6}', 1, 'accepted', NULL, 1, 'new', NULL, 0);
INSERT INTO takt.mapping VALUES ('work-orders.sync', 'b7d47f46e583c8d0c2ce59a6bbe08fdc2490d1db473ddff9f55eccc54ff5eae9', '{"mapping":{"operation":"work-orders.sync","sheet":"b","headerRow":1,"columns":{"Auftrag":"code","Mat":"materialCode","Menge":"requestedQuantity","Vorgang":"operationCode"}},"headings":["Auftrag","Vorgang","Mat","Menge"]}', '2026-11-29T16:19:11.348236245Z');
INSERT INTO takt.origin VALUES ('234a4d5e2ca04776');
INSERT INTO takt."row" VALUES (1, 1, 'b', 2);
INSERT INTO takt."row" VALUES (1, 2, 'b', 3);
INSERT INTO takt."row" VALUES (2, 1, 'b', 2);
INSERT INTO takt."row" VALUES (2, 2, 'b', 3);
INSERT INTO takt.shared_change OVERRIDING SYSTEM VALUE VALUES (1, 'mapping', '', 'work-orders.sync', 'b7d47f46e583c8d0c2ce59a6bbe08fdc2490d1db473ddff9f55eccc54ff5eae9', 'Auftrag, Vorgang, Mat, Menge', '2026-11-29T16:19:09.3326921Z', 'anna@pc7', 'takt', '{"mapping":{"operation":"work-orders.sync","sheet":"b","headerRow":1,"columns":{"Auftrag":"code","Mat":"materialCode","Menge":"requestedQuantity","Vorgang":"operationCode"}},"headings":["Auftrag","Vorgang","Mat","Menge"]}', NULL);
INSERT INTO takt.submission VALUES (1, 'work-orders.sync', 'practice', 'b.csv', '27619d29c94c5dbb848332c33960a9e794e17f31e106b5b3d042cb7671c42174', 'b', '2026-11-29T16:19:09.340885571Z', '2026-11-29T16:19:09.419215003Z', 'finished', 100, 2, 0, 2, 0, 0, 2, 0, 0, 0, 1, 1, 1, 27, NULL, 1, 'anna@pc7', '{"operation":"work-orders.sync","sheet":"b","headerRow":1,"columns":{"Auftrag":"code","Mat":"materialCode","Menge":"requestedQuantity","Vorgang":"operationCode"}}', NULL, NULL, NULL, 100, '', '', false, NULL);
INSERT INTO takt.submission VALUES (2, 'work-orders.sync', 'practice', 'b.csv', 'a7670e721f93f51bfc387b65af222616937728e31f6e5a83f300f53658397b13', 'b', '2026-11-29T16:19:11.561792136Z', '2026-11-29T16:19:11.705549099Z', 'finished', 100, 2, 0, 2, 0, 0, 2, 0, 0, 0, 1, 1, 1, 30, NULL, 2, 'anna@pc7', '{"operation":"work-orders.sync","sheet":"b","headerRow":1,"columns":{"Auftrag":"code","Mat":"materialCode","Menge":"requestedQuantity","Vorgang":"operationCode"}}', NULL, NULL, NULL, 100, '', '', false, NULL);
INSERT INTO takt.version VALUES (12);
SELECT pg_catalog.setval('takt.copy_rowid_seq', 1, false);
SELECT pg_catalog.setval('takt.gap_id_seq', 1, false);
SELECT pg_catalog.setval('takt.sender_number', 1, false);
SELECT pg_catalog.setval('takt.shared_change_id_seq', 1, true);
SELECT pg_catalog.setval('takt.submission_id_seq', 2, true);
SELECT pg_catalog.setval('takt.target_id_seq', 1, false);
ALTER TABLE ONLY takt.answer
    ADD CONSTRAINT answer_pkey PRIMARY KEY (event);
ALTER TABLE ONLY takt.approval
    ADD CONSTRAINT approval_pkey PRIMARY KEY (plan);
ALTER TABLE ONLY takt.approval_rule
    ADD CONSTRAINT approval_rule_pkey PRIMARY KEY (base_url);
ALTER TABLE ONLY takt.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (submission, batch);
ALTER TABLE ONLY takt.before
    ADD CONSTRAINT before_pkey PRIMARY KEY (submission, item);
ALTER TABLE ONLY takt.carried_event
    ADD CONSTRAINT carried_event_pkey PRIMARY KEY (origin, own_id);
ALTER TABLE ONLY takt.carried_over
    ADD CONSTRAINT carried_over_pkey PRIMARY KEY (journal, own_id);
ALTER TABLE ONLY takt.carried_target
    ADD CONSTRAINT carried_target_pkey PRIMARY KEY (origin, own_id);
ALTER TABLE ONLY takt.contract_version
    ADD CONSTRAINT contract_version_pkey PRIMARY KEY (site, number);
ALTER TABLE ONLY takt.copy
    ADD CONSTRAINT copy_pkey PRIMARY KEY (rowid);
ALTER TABLE ONLY takt.event_path
    ADD CONSTRAINT event_path_pkey PRIMARY KEY (site);
ALTER TABLE ONLY takt.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY takt.event_text
    ADD CONSTRAINT event_text_pkey PRIMARY KEY (rowid);
ALTER TABLE ONLY takt.floor_alert
    ADD CONSTRAINT floor_alert_pkey PRIMARY KEY (site, alert);
ALTER TABLE ONLY takt.floor_late
    ADD CONSTRAINT floor_late_pkey PRIMARY KEY (event);
ALTER TABLE ONLY takt.floor_order
    ADD CONSTRAINT floor_order_pkey PRIMARY KEY (site, code, operation);
ALTER TABLE ONLY takt.floor
    ADD CONSTRAINT floor_pkey PRIMARY KEY (one);
ALTER TABLE ONLY takt.floor_station
    ADD CONSTRAINT floor_station_pkey PRIMARY KEY (site, code);
ALTER TABLE ONLY takt.forwarded
    ADD CONSTRAINT forwarded_pkey PRIMARY KEY (event, target);
ALTER TABLE ONLY takt.gap
    ADD CONSTRAINT gap_pkey PRIMARY KEY (id);
ALTER TABLE ONLY takt.item
    ADD CONSTRAINT item_pkey PRIMARY KEY (submission, number);
ALTER TABLE ONLY takt.mapping
    ADD CONSTRAINT mapping_pkey PRIMARY KEY (operation, headings);
ALTER TABLE ONLY takt.named
    ADD CONSTRAINT named_pkey PRIMARY KEY (code, event, operation);
ALTER TABLE ONLY takt.origin
    ADD CONSTRAINT origin_pkey PRIMARY KEY (name);
ALTER TABLE ONLY takt.owed
    ADD CONSTRAINT owed_pkey PRIMARY KEY (target, event);
ALTER TABLE ONLY takt.pulse
    ADD CONSTRAINT pulse_pkey PRIMARY KEY (site);
ALTER TABLE ONLY takt.reading
    ADD CONSTRAINT reading_pkey PRIMARY KEY (event);
ALTER TABLE ONLY takt.reference
    ADD CONSTRAINT reference_pkey PRIMARY KEY (site, list);
ALTER TABLE ONLY takt."row"
    ADD CONSTRAINT row_pkey PRIMARY KEY (submission, item, sheet, "row");
ALTER TABLE ONLY takt."row"
    ADD CONSTRAINT row_submission_sheet_row_key UNIQUE (submission, sheet, "row");
ALTER TABLE ONLY takt.rules
    ADD CONSTRAINT rules_pkey PRIMARY KEY (site, version);
ALTER TABLE ONLY takt.sender
    ADD CONSTRAINT sender_pkey PRIMARY KEY (target);
ALTER TABLE ONLY takt.shared_change
    ADD CONSTRAINT shared_change_pkey PRIMARY KEY (id);
ALTER TABLE ONLY takt.shared_view
    ADD CONSTRAINT shared_view_pkey PRIMARY KEY (site, operation, name);
ALTER TABLE ONLY takt.submission
    ADD CONSTRAINT submission_pkey PRIMARY KEY (id);
ALTER TABLE ONLY takt.taken_up
    ADD CONSTRAINT taken_up_pkey PRIMARY KEY (submission);
ALTER TABLE ONLY takt.target
    ADD CONSTRAINT target_pkey PRIMARY KEY (id);
ALTER TABLE ONLY takt.target
    ADD CONSTRAINT target_site_name_key UNIQUE (site, name);
ALTER TABLE ONLY takt.template_remembered
    ADD CONSTRAINT template_remembered_pkey PRIMARY KEY (site, template);
ALTER TABLE ONLY takt.tried
    ADD CONSTRAINT tried_pkey PRIMARY KEY (site, rule);
ALTER TABLE ONLY takt.unverified
    ADD CONSTRAINT unverified_pkey PRIMARY KEY (site);
ALTER TABLE ONLY takt.wait
    ADD CONSTRAINT wait_pkey PRIMARY KEY (submission, item, reference, other_submission, other_item);
CREATE INDEX approval_open ON takt.approval USING btree (plan) WHERE (decision IS NULL);
CREATE INDEX copy_by_event ON takt.copy USING btree (event);
CREATE INDEX event_by_key ON takt.event USING btree (key, id);
CREATE INDEX event_by_signed_key ON takt.event USING btree (signed_key, id) WHERE (signed_key IS NOT NULL);
CREATE INDEX event_forwardable ON takt.event USING btree (site, id) WHERE ((replay = 0) AND (carried = 0) AND (signed = ANY (ARRAY['unchecked'::text, 'valid'::text])));
CREATE INDEX event_text_by_word ON takt.event_text USING gin (words);
CREATE INDEX event_unverified ON takt.event USING btree (site, id) WHERE (signed <> ALL (ARRAY['unchecked'::text, 'valid'::text]));
CREATE INDEX floor_alert_open ON takt.floor_alert USING btree (site) WHERE (closed IS NULL);
CREATE INDEX floor_order_by_state ON takt.floor_order USING btree (site, state);
CREATE INDEX forwarded_aside ON takt.forwarded USING btree (target, state, event) WHERE (state <> 'taken'::text);
CREATE INDEX item_by_key ON takt.item USING btree (submission, key);
CREATE INDEX item_noted ON takt.item USING btree (submission, noted, number) WHERE (noted IS NOT NULL);
CREATE INDEX named_by_event ON takt.named USING btree (event);
CREATE INDEX owed_by_event ON takt.owed USING btree (event);
CREATE INDEX reading_by_employee ON takt.reading USING btree (employee, event) WHERE (employee IS NOT NULL);
CREATE INDEX reading_by_kind ON takt.reading USING btree (kind, event);
CREATE INDEX reading_by_reader ON takt.reading USING btree (reader);
CREATE INDEX reading_by_site ON takt.reading USING btree (site, event, received);
CREATE INDEX reading_by_state ON takt.reading USING btree (state, event) WHERE (state <> 'sound'::text);
CREATE INDEX reading_by_station ON takt.reading USING btree (station, event);
CREATE INDEX shared_change_by_key ON takt.shared_change USING btree (kind, site, operation, key, id);
CREATE INDEX submission_by_followed ON takt.submission USING btree (follows) WHERE (follows IS NOT NULL);
CREATE INDEX submission_by_hash ON takt.submission USING btree (hash);
CREATE INDEX submission_by_plan ON takt.submission USING btree (plan);
CREATE INDEX submission_in_preparation ON takt.submission USING btree (id) WHERE preparing;
CREATE INDEX submission_open ON takt.submission USING btree (id) WHERE (ended IS NULL);
CREATE INDEX wait_by_other ON takt.wait USING btree (other_submission, other_item);
CREATE TRIGGER approval_is_decided_once BEFORE UPDATE ON takt.approval FOR EACH ROW WHEN ((old.decision IS NOT NULL)) EXECUTE FUNCTION takt.approval_is_decided_once();
CREATE TRIGGER attempt_ends_once BEFORE UPDATE ON takt.attempt FOR EACH ROW WHEN ((old.ended IS NOT NULL)) EXECUTE FUNCTION takt.attempt_ends_once();
CREATE TRIGGER attempt_is_approved BEFORE INSERT ON takt.attempt FOR EACH ROW EXECUTE FUNCTION takt.attempt_is_approved();
CREATE TRIGGER attempt_stays BEFORE DELETE ON takt.attempt FOR EACH ROW EXECUTE FUNCTION takt.attempt_stays();
CREATE TRIGGER before_has_item AFTER INSERT ON takt.before REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION takt.part_has_item();
CREATE TRIGGER before_reads_committed BEFORE INSERT ON takt.before FOR EACH STATEMENT WHEN ((current_setting('transaction_isolation'::text) <> ALL (ARRAY['read committed'::text, 'read uncommitted'::text]))) EXECUTE FUNCTION takt.refuse('what was before is added by a transaction that reads what is committed');
CREATE TRIGGER before_stays BEFORE UPDATE OF submission, item ON takt.before FOR EACH STATEMENT EXECUTE FUNCTION takt.refuse('what was before keeps its item');
CREATE TRIGGER item_has_submission AFTER INSERT ON takt.item REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION takt.item_has_submission();
CREATE TRIGGER item_is_kept BEFORE TRUNCATE ON takt.item FOR EACH STATEMENT EXECUTE FUNCTION takt.refuse('items are removed by their numbers');
CREATE TRIGGER item_leaves_no_part AFTER DELETE ON takt.item REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION takt.item_leaves_no_part();
CREATE TRIGGER item_reads_committed BEFORE DELETE ON takt.item FOR EACH STATEMENT WHEN ((current_setting('transaction_isolation'::text) <> ALL (ARRAY['read committed'::text, 'read uncommitted'::text]))) EXECUTE FUNCTION takt.refuse('items are removed by a transaction that reads what is committed');
CREATE TRIGGER item_stays BEFORE UPDATE OF submission, number ON takt.item FOR EACH STATEMENT EXECUTE FUNCTION takt.refuse('an item keeps its number');
CREATE TRIGGER note_item AFTER INSERT OR UPDATE ON takt.item FOR EACH ROW WHEN ((new.noted IS DISTINCT FROM
        CASE
            WHEN (new.result = ANY (ARRAY['rejected'::text, 'unconfirmed'::text])) THEN new.result
            ELSE NULL::text
        END)) EXECUTE FUNCTION takt.note_item();
CREATE TRIGGER row_has_item AFTER INSERT ON takt."row" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION takt.part_has_item();
CREATE TRIGGER row_reads_committed BEFORE INSERT ON takt."row" FOR EACH STATEMENT WHEN ((current_setting('transaction_isolation'::text) <> ALL (ARRAY['read committed'::text, 'read uncommitted'::text]))) EXECUTE FUNCTION takt.refuse('rows are added by a transaction that reads what is committed');
CREATE TRIGGER row_stays BEFORE UPDATE OF submission, item ON takt."row" FOR EACH STATEMENT EXECUTE FUNCTION takt.refuse('a row keeps its item');
CREATE TRIGGER submission_is_kept BEFORE TRUNCATE ON takt.submission FOR EACH STATEMENT EXECUTE FUNCTION takt.refuse('submissions are removed by their numbers');
CREATE TRIGGER submission_leaves_no_item AFTER DELETE ON takt.submission REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION takt.submission_leaves_no_item();
CREATE TRIGGER submission_reads_committed BEFORE DELETE ON takt.submission FOR EACH STATEMENT WHEN ((current_setting('transaction_isolation'::text) <> ALL (ARRAY['read committed'::text, 'read uncommitted'::text]))) EXECUTE FUNCTION takt.refuse('submissions are removed by a transaction that reads what is committed');
CREATE TRIGGER submission_stays BEFORE UPDATE OF id ON takt.submission FOR EACH STATEMENT EXECUTE FUNCTION takt.refuse('a submission keeps its number');
ALTER TABLE ONLY takt.answer
    ADD CONSTRAINT answer_event_fkey FOREIGN KEY (event) REFERENCES takt.event(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.approval
    ADD CONSTRAINT approval_plan_fkey FOREIGN KEY (plan) REFERENCES takt.submission(id);
ALTER TABLE ONLY takt.attempt
    ADD CONSTRAINT attempt_submission_fkey FOREIGN KEY (submission) REFERENCES takt.submission(id);
ALTER TABLE ONLY takt.carried_over
    ADD CONSTRAINT carried_over_submission_fkey FOREIGN KEY (submission) REFERENCES takt.submission(id);
ALTER TABLE ONLY takt.copy
    ADD CONSTRAINT copy_event_fkey FOREIGN KEY (event) REFERENCES takt.event(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.event_text
    ADD CONSTRAINT event_text_rowid_fkey FOREIGN KEY (rowid) REFERENCES takt.event(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.floor_late
    ADD CONSTRAINT floor_late_event_fkey FOREIGN KEY (event) REFERENCES takt.event(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.forwarded
    ADD CONSTRAINT forwarded_event_fkey FOREIGN KEY (event) REFERENCES takt.event(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.forwarded
    ADD CONSTRAINT forwarded_target_fkey FOREIGN KEY (target) REFERENCES takt.target(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.named
    ADD CONSTRAINT named_event_fkey FOREIGN KEY (event) REFERENCES takt.event(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.owed
    ADD CONSTRAINT owed_event_fkey FOREIGN KEY (event) REFERENCES takt.event(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.owed
    ADD CONSTRAINT owed_target_fkey FOREIGN KEY (target) REFERENCES takt.target(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.reading
    ADD CONSTRAINT reading_event_fkey FOREIGN KEY (event) REFERENCES takt.event(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.sender
    ADD CONSTRAINT sender_target_fkey FOREIGN KEY (target) REFERENCES takt.target(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.submission
    ADD CONSTRAINT submission_follows_fkey FOREIGN KEY (follows) REFERENCES takt.submission(id);
ALTER TABLE ONLY takt.submission
    ADD CONSTRAINT submission_plan_fkey FOREIGN KEY (plan) REFERENCES takt.submission(id);
ALTER TABLE ONLY takt.taken_up
    ADD CONSTRAINT taken_up_submission_fkey FOREIGN KEY (submission) REFERENCES takt.submission(id) ON DELETE CASCADE;
ALTER TABLE ONLY takt.wait
    ADD CONSTRAINT wait_other_submission_other_item_fkey FOREIGN KEY (other_submission, other_item) REFERENCES takt.item(submission, number);
ALTER TABLE ONLY takt.wait
    ADD CONSTRAINT wait_submission_item_fkey FOREIGN KEY (submission, item) REFERENCES takt.item(submission, number);
GRANT USAGE ON SCHEMA takt TO takt_desk;
REVOKE ALL ON FUNCTION takt.item_has_submission() FROM PUBLIC;
REVOKE ALL ON FUNCTION takt.item_leaves_no_part() FROM PUBLIC;
REVOKE ALL ON FUNCTION takt.part_has_item() FROM PUBLIC;
REVOKE ALL ON FUNCTION takt.purge_shared_changes(moment text) FROM PUBLIC;
GRANT ALL ON FUNCTION takt.purge_shared_changes(moment text) TO takt_desk;
REVOKE ALL ON FUNCTION takt.refresh_statistics() FROM PUBLIC;
GRANT ALL ON FUNCTION takt.refresh_statistics() TO takt_desk;
REVOKE ALL ON FUNCTION takt.refuse() FROM PUBLIC;
REVOKE ALL ON FUNCTION takt.submission_leaves_no_item() FROM PUBLIC;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.answer TO takt_desk;
GRANT SELECT,INSERT,UPDATE ON TABLE takt.approval TO takt_desk;
GRANT SELECT ON TABLE takt.approval_rule TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.attempt TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.before TO takt_desk;
GRANT SELECT,INSERT ON TABLE takt.carried_event TO takt_desk;
GRANT SELECT,INSERT ON TABLE takt.carried_over TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.carried_target TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.contract_version TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.copy TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.event TO takt_desk;
GRANT SELECT,UPDATE ON TABLE takt.event_number TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.event_path TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.event_text TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.floor TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.floor_alert TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.floor_late TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.floor_order TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.floor_station TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.forwarded TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.gap TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.item TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.mapping TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.named TO takt_desk;
GRANT SELECT ON TABLE takt.origin TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.owed TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.pulse TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.reading TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.reference TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt."row" TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.rules TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.sender TO takt_desk;
GRANT USAGE ON SEQUENCE takt.sender_number TO takt_desk;
GRANT SELECT ON TABLE takt.shared_change TO takt_desk;
GRANT INSERT(kind) ON TABLE takt.shared_change TO takt_desk;
GRANT INSERT(site) ON TABLE takt.shared_change TO takt_desk;
GRANT INSERT(operation) ON TABLE takt.shared_change TO takt_desk;
GRANT INSERT(key) ON TABLE takt.shared_change TO takt_desk;
GRANT INSERT(name) ON TABLE takt.shared_change TO takt_desk;
GRANT INSERT(at) ON TABLE takt.shared_change TO takt_desk;
GRANT INSERT(person) ON TABLE takt.shared_change TO takt_desk;
GRANT INSERT(body) ON TABLE takt.shared_change TO takt_desk;
GRANT INSERT(before) ON TABLE takt.shared_change TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.shared_view TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.submission TO takt_desk;
GRANT USAGE ON SEQUENCE takt.submission_id_seq TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.taken_up TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.target TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.template_remembered TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.tried TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.unverified TO takt_desk;
GRANT SELECT ON TABLE takt.version TO takt_desk;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE takt.wait TO takt_desk;
