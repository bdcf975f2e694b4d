-- What Crivo keeps. Times are integer milliseconds since 1970 UTC, digests are SHA-256 in hex.
-- Every append-only row has a row in ledger: its sequence number is the row's position, its digest
-- is chained over the previous row's. Triggers hold what must never change.

PRAGMA application_id = 1129469489; -- "CRV1"

CREATE TABLE schema_migration (
  version    INTEGER PRIMARY KEY CHECK (version > 0),
  name       TEXT    NOT NULL UNIQUE CHECK (length(name) > 0),
  sha256     TEXT    NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
  applied_at INTEGER NOT NULL CHECK (applied_at >= 0)
) STRICT;

CREATE TABLE ledger (
  seq            INTEGER PRIMARY KEY CHECK (seq > 0),
  kind           TEXT    NOT NULL
                 CHECK (kind IN ('sheet', 'offer', 'piece', 'content', 'decision')),
  key            TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 128),
  version        INTEGER NOT NULL CHECK (version > 0),
  content_digest TEXT    NOT NULL
                 CHECK (length(content_digest) = 64 AND content_digest NOT GLOB '*[^0-9a-f]*'),
  recorded_at    INTEGER NOT NULL CHECK (recorded_at >= 0),
  recorded_by    TEXT    NOT NULL CHECK (length(recorded_by) BETWEEN 1 AND 255),
  digest         TEXT    NOT NULL CHECK (length(digest) = 64 AND digest NOT GLOB '*[^0-9a-f]*')
) STRICT;

CREATE TABLE sheet_revision (
  seq        INTEGER PRIMARY KEY REFERENCES ledger (seq) ON DELETE RESTRICT,
  name       TEXT    NOT NULL CHECK (name GLOB '[a-z0-9]*' AND name NOT GLOB '*[^a-z0-9._-]*'
                                     AND length(name) <= 128),
  revision   INTEGER NOT NULL CHECK (revision > 0),
  withdrawn  INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
  digest     TEXT    NOT NULL CHECK (length(digest) = 64 AND digest NOT GLOB '*[^0-9a-f]*'),
  raw_digest TEXT    CHECK (length(raw_digest) = 64 AND raw_digest NOT GLOB '*[^0-9a-f]*'),
  canonical  TEXT    CHECK (canonical GLOB '{*}'),
  raw        BLOB,
  UNIQUE (name, revision),
  CHECK ((canonical IS NULL) = withdrawn AND (raw IS NULL) = withdrawn
         AND (raw_digest IS NULL) = withdrawn)
) STRICT;

CREATE TABLE piece_version (
  seq        INTEGER PRIMARY KEY REFERENCES ledger (seq) ON DELETE RESTRICT,
  key        TEXT    NOT NULL CHECK (key GLOB '[a-z0-9]*' AND key NOT GLOB '*[^a-z0-9._-]*'
                                     AND length(key) <= 128),
  version    INTEGER NOT NULL CHECK (version > 0),
  kind       TEXT    NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
  withdrawn  INTEGER NOT NULL CHECK (withdrawn = 0),
  digest     TEXT    NOT NULL CHECK (length(digest) = 64 AND digest NOT GLOB '*[^0-9a-f]*'),
  raw_digest TEXT    NOT NULL
             CHECK (length(raw_digest) = 64 AND raw_digest NOT GLOB '*[^0-9a-f]*'),
  canonical  TEXT    NOT NULL CHECK (canonical GLOB '{*}'),
  raw        BLOB    NOT NULL,
  UNIQUE (key, version)
) STRICT;

CREATE TABLE offer_version (
  seq            INTEGER PRIMARY KEY REFERENCES ledger (seq) ON DELETE RESTRICT,
  key            TEXT    NOT NULL CHECK (key GLOB '[a-z0-9]*' AND key NOT GLOB '*[^a-z0-9._-]*'
                                         AND length(key) <= 128),
  version        INTEGER NOT NULL CHECK (version > 0),
  source_key     TEXT,
  source_version INTEGER CHECK (source_version > 0),
  withdrawn      INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
  digest         TEXT    NOT NULL CHECK (length(digest) = 64 AND digest NOT GLOB '*[^0-9a-f]*'),
  raw_digest     TEXT    CHECK (length(raw_digest) = 64 AND raw_digest NOT GLOB '*[^0-9a-f]*'),
  canonical      TEXT    CHECK (canonical GLOB '{*}'),
  raw            BLOB,
  UNIQUE (key, version),
  FOREIGN KEY (source_key, source_version) REFERENCES piece_version (key, version)
    ON DELETE RESTRICT,
  CHECK ((source_key IS NULL) = (source_version IS NULL)),
  CHECK ((canonical IS NULL) = withdrawn AND (raw IS NULL) = withdrawn
         AND (raw_digest IS NULL) = withdrawn)
) STRICT;

CREATE INDEX offer_version_by_source ON offer_version (source_key, source_version)
  WHERE source_key IS NOT NULL;

-- An administrator may erase bytes; the digest, the type and the length stay.
CREATE TABLE piece_content (
  seq        INTEGER PRIMARY KEY REFERENCES ledger (seq) ON DELETE RESTRICT,
  key        TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  sha256     TEXT    NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
  media_type TEXT    NOT NULL CHECK (length(media_type) BETWEEN 1 AND 255),
  size       INTEGER NOT NULL CHECK (size >= 0),
  bytes      BLOB    CHECK (length(bytes) = size),
  UNIQUE (key, version),
  FOREIGN KEY (key, version) REFERENCES piece_version (key, version) ON DELETE RESTRICT
) STRICT;

CREATE TABLE decision (
  number             INTEGER PRIMARY KEY CHECK (number > 0),
  seq                INTEGER NOT NULL UNIQUE REFERENCES ledger (seq) ON DELETE RESTRICT,
  sheet_name         TEXT,
  sheet_revision     INTEGER CHECK (sheet_revision > 0),
  sheet_digest       TEXT    NOT NULL
                     CHECK (length(sheet_digest) = 64 AND sheet_digest NOT GLOB '*[^0-9a-f]*'),
  sheet_json         TEXT    CHECK (sheet_json GLOB '{*}'),
  question_digest    TEXT    NOT NULL
                     CHECK (length(question_digest) = 64
                            AND question_digest NOT GLOB '*[^0-9a-f]*'),
  question_json      TEXT    NOT NULL CHECK (question_json GLOB '{*}'),
  as_of_given        INTEGER NOT NULL CHECK (as_of_given IN (0, 1)),
  as_of              INTEGER NOT NULL CHECK (as_of >= 0),
  decided_at         INTEGER NOT NULL CHECK (decided_at >= 0),
  holds_until        INTEGER CHECK (holds_until >= 0),
  catalogue_position INTEGER NOT NULL CHECK (catalogue_position >= 0),
  evidence_position  INTEGER NOT NULL CHECK (evidence_position >= 0),
  rules              TEXT    NOT NULL CHECK (length(rules) > 0),
  outcome            TEXT    NOT NULL CHECK (length(outcome) > 0),
  headline           TEXT    NOT NULL,
  n_retained         INTEGER NOT NULL CHECK (n_retained >= 0),
  n_to_confirm       INTEGER NOT NULL CHECK (n_to_confirm >= 0),
  n_excluded         INTEGER NOT NULL CHECK (n_excluded >= 0),
  result_digest      TEXT    NOT NULL
                     CHECK (length(result_digest) = 64 AND result_digest NOT GLOB '*[^0-9a-f]*'),
  matrix_digest      TEXT    NOT NULL
                     CHECK (length(matrix_digest) = 64 AND matrix_digest NOT GLOB '*[^0-9a-f]*'),
  result_size        INTEGER NOT NULL CHECK (result_size > 0),
  result             BLOB    NOT NULL CHECK (length(result) > 0), -- zlib
  FOREIGN KEY (sheet_name, sheet_revision) REFERENCES sheet_revision (name, revision)
    ON DELETE RESTRICT,
  CHECK ((sheet_name IS NULL) = (sheet_revision IS NULL)),
  CHECK (sheet_name IS NULL OR sheet_json IS NULL)
) STRICT;

CREATE INDEX decision_by_question ON decision (question_digest, number);
CREATE INDEX decision_by_sheet ON decision (sheet_name, number)
  WHERE sheet_name IS NOT NULL;

CREATE TABLE token (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  role         TEXT    NOT NULL CHECK (role IN ('reader', 'ci', 'procurement', 'admin')),
  hash         TEXT    NOT NULL UNIQUE CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
  created_at   INTEGER NOT NULL CHECK (created_at >= 0),
  expires_at   INTEGER CHECK (expires_at >= 0),
  revoked_at   INTEGER CHECK (revoked_at >= 0),
  last_used_at INTEGER CHECK (last_used_at >= 0)
) STRICT;

CREATE TABLE idempotency (
  token_id     INTEGER NOT NULL REFERENCES token (id) ON DELETE RESTRICT,
  scope        TEXT    NOT NULL,
  key          TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  fingerprint  TEXT    NOT NULL
               CHECK (length(fingerprint) = 64 AND fingerprint NOT GLOB '*[^0-9a-f]*'),
  status       INTEGER NOT NULL CHECK (status BETWEEN 100 AND 599),
  content_type TEXT,
  location     TEXT,
  body         BLOB    NOT NULL,
  created_at   INTEGER NOT NULL CHECK (created_at >= 0),
  PRIMARY KEY (token_id, scope, key)
) STRICT;

CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- One row that a read-only service rewrites to find out whether the disk takes writes again.
CREATE TABLE probe (
  id     INTEGER PRIMARY KEY CHECK (id = 1),
  filler BLOB    NOT NULL
) STRICT;

INSERT INTO probe (id, filler) VALUES (1, x'00');

CREATE TRIGGER schema_migration_kept BEFORE UPDATE ON schema_migration
BEGIN SELECT RAISE(ABORT, 'schema_migration is append-only'); END;
CREATE TRIGGER schema_migration_not_deleted BEFORE DELETE ON schema_migration
BEGIN SELECT RAISE(ABORT, 'schema_migration is append-only'); END;

CREATE TRIGGER ledger_kept BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;
CREATE TRIGGER ledger_not_deleted BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'ledger is append-only'); END;

CREATE TRIGGER sheet_revision_kept BEFORE UPDATE ON sheet_revision
BEGIN SELECT RAISE(ABORT, 'sheet_revision is append-only'); END;
CREATE TRIGGER sheet_revision_not_deleted BEFORE DELETE ON sheet_revision
BEGIN SELECT RAISE(ABORT, 'sheet_revision is append-only'); END;

CREATE TRIGGER piece_version_kept BEFORE UPDATE ON piece_version
BEGIN SELECT RAISE(ABORT, 'piece_version is append-only'); END;
CREATE TRIGGER piece_version_not_deleted BEFORE DELETE ON piece_version
BEGIN SELECT RAISE(ABORT, 'piece_version is append-only'); END;

CREATE TRIGGER offer_version_kept BEFORE UPDATE ON offer_version
BEGIN SELECT RAISE(ABORT, 'offer_version is append-only'); END;
CREATE TRIGGER offer_version_not_deleted BEFORE DELETE ON offer_version
BEGIN SELECT RAISE(ABORT, 'offer_version is append-only'); END;

CREATE TRIGGER piece_content_kept BEFORE UPDATE ON piece_content
WHEN NOT (NEW.bytes IS NULL AND NEW.seq = OLD.seq AND NEW.key = OLD.key
          AND NEW.version = OLD.version AND NEW.sha256 = OLD.sha256
          AND NEW.media_type = OLD.media_type AND NEW.size = OLD.size)
BEGIN SELECT RAISE(ABORT, 'piece_content is append-only'); END;
CREATE TRIGGER piece_content_not_deleted BEFORE DELETE ON piece_content
BEGIN SELECT RAISE(ABORT, 'piece_content is append-only'); END;

CREATE TRIGGER decision_kept BEFORE UPDATE ON decision
BEGIN SELECT RAISE(ABORT, 'decision is append-only'); END;
CREATE TRIGGER decision_not_deleted BEFORE DELETE ON decision
BEGIN SELECT RAISE(ABORT, 'decision is append-only'); END;
