-- Mail to people. Notices keep what their sentences say, so that each is read in its
-- reader's language; a row of mail_outbox is one message to one address, written in the
-- transaction of what it tells of. message_id is the Message-ID without its brackets, the
-- same at every attempt.

-- +goose Up
ALTER TABLE notices ADD COLUMN params TEXT NOT NULL DEFAULT ''; -- JSON object of texts; empty: the message is all there is
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT ''; -- en or de; empty: the installation's
ALTER TABLE users ADD COLUMN mail_choices TEXT NOT NULL DEFAULT '{}'; -- JSON: kind of message to whether it comes by mail
ALTER TABLE users ADD COLUMN mail_failed_at BIGINT; -- since when mail to the address fails for good
ALTER TABLE users ADD COLUMN mail_error TEXT NOT NULL DEFAULT ''; -- why, in a word
ALTER TABLE certificates ADD COLUMN told_days BIGINT; -- the last milestone before its end that people were told of
CREATE TABLE IF NOT EXISTS mail_outbox (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id         BIGINT REFERENCES users (id),         -- whom it is for; NULL: an address alone
    organization_id BIGINT REFERENCES organizations (id), -- whose managers it is for; NULL: no organization's
    role            TEXT NOT NULL,   -- as what the person gets it; empty: as that person
    address         TEXT NOT NULL,
    language        TEXT NOT NULL,
    kind            TEXT NOT NULL,
    params          TEXT NOT NULL,   -- JSON object of texts
    message_id      TEXT NOT NULL UNIQUE,
    status          TEXT NOT NULL,   -- pending, sent, failed, dropped
    attempts        BIGINT NOT NULL,
    next_attempt_at BIGINT,          -- while it is pending
    claimed_until   BIGINT NOT NULL, -- 0: in nobody's hands
    claims          BIGINT NOT NULL, -- tells a claim from later ones
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL, -- nobody tries any more then
    sent_at         BIGINT,          -- the server took it
    ended_at        BIGINT,          -- it is pending no more
    error           TEXT NOT NULL,   -- of the last attempt, in a word
    reply           TEXT NOT NULL    -- the codes of the server's last refusal, without its words
);
CREATE INDEX IF NOT EXISTS mail_outbox_due ON mail_outbox (status, next_attempt_at, id);
CREATE INDEX IF NOT EXISTS mail_outbox_status ON mail_outbox (status, id);
CREATE INDEX IF NOT EXISTS mail_outbox_ended ON mail_outbox (ended_at) WHERE ended_at IS NOT NULL;
