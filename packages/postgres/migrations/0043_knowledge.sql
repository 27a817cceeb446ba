-- breaking: no
-- Documents, and the passages of them that searches find.

CREATE TABLE toolwright.documents (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  document text NOT NULL,
  collection text NOT NULL,
  -- Path or URL of the last version; null for a text.
  place text,
  -- A string of JSON, as other texts below: it may hold characters that text refuses.
  title json NOT NULL,
  source json NOT NULL,
  media_type json NOT NULL,
  hash text NOT NULL,
  trust text NOT NULL CHECK (trust IN ('foreign', 'agent', 'person')),
  sources json NOT NULL,
  by json NOT NULL,
  -- The version that answers; 0 before there is one.
  version int NOT NULL DEFAULT 0,
  state text NOT NULL CHECK (state IN ('queued', 'reading', 'ready', 'failed')),
  error json,
  chunks int NOT NULL DEFAULT 0,
  -- Of the whole text.
  characters int NOT NULL DEFAULT 0,
  pages int,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- The version that waits or is read, and the upload that holds it.
  next_version int,
  upload text,
  -- When somebody is to take that, again where the run that has it does not renew its lease.
  due_at timestamptz,
  holder text,
  attempts int NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, document)
);
--> statement-breakpoint
CREATE UNIQUE INDEX documents_place ON toolwright.documents (tenant, collection, place) WHERE place IS NOT NULL;
--> statement-breakpoint
CREATE INDEX documents_newest ON toolwright.documents (tenant, created_at, document);
--> statement-breakpoint
CREATE INDEX documents_due ON toolwright.documents (due_at) WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX documents_unready ON toolwright.documents (tenant, document) WHERE state <> 'ready';
--> statement-breakpoint
CREATE INDEX documents_upload ON toolwright.documents (tenant, upload) WHERE upload IS NOT NULL;
--> statement-breakpoint
CALL toolwright.protect_table('documents');
--> statement-breakpoint
-- Bytes of versions until they are read. What no document names was begun and not finished.
CREATE TABLE toolwright.document_uploads (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  upload text NOT NULL,
  -- What was said of the version when it came.
  given json NOT NULL,
  written_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, upload)
);
--> statement-breakpoint
CREATE INDEX document_uploads_by_time ON toolwright.document_uploads (written_at);
--> statement-breakpoint
CALL toolwright.protect_table('document_uploads');
--> statement-breakpoint
CREATE TABLE toolwright.document_bytes (
  tenant text NOT NULL,
  upload text NOT NULL,
  -- From 0.
  part int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant, upload, part),
  FOREIGN KEY (tenant, upload) REFERENCES toolwright.document_uploads (tenant, upload) ON DELETE CASCADE
);
--> statement-breakpoint
ALTER TABLE toolwright.document_bytes ALTER COLUMN bytes SET STORAGE EXTERNAL;
--> statement-breakpoint
CALL toolwright.protect_table('document_bytes');
--> statement-breakpoint
CREATE TABLE toolwright.chunks (
  tenant text NOT NULL,
  document text NOT NULL,
  -- Later versions have higher numbers.
  chunk int NOT NULL,
  -- Those of another version than the document's are being written, and in no search.
  version int NOT NULL,
  content json NOT NULL,
  headings json NOT NULL,
  page int,
  cell int,
  from_line int,
  to_line int,
  -- Where it begins in the whole text, in UTF-16 units.
  from_char int NOT NULL,
  -- What the passage is found by.
  names text NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (tenant, document, chunk),
  FOREIGN KEY (tenant, document) REFERENCES toolwright.documents (tenant, document) ON DELETE CASCADE
);
--> statement-breakpoint
-- Written at once: nothing in an embedded database would work off what waits.
CREATE INDEX chunks_words ON toolwright.chunks USING gin (words) WITH (fastupdate = off);
--> statement-breakpoint
CALL toolwright.index_names('chunks');
--> statement-breakpoint
CALL toolwright.protect_table('chunks');
--> statement-breakpoint
-- Passages of the versions that answer. Behind the policy of a table, PostgreSQL uses no index of words: the view belongs to the role that sees all
-- rows, and holds what the policy holds.
CREATE VIEW toolwright.chunk_index AS
  SELECT kept.document, kept.chunk, kept.version, own.collection, kept.names, kept.words
  FROM toolwright.chunks AS kept JOIN toolwright.documents AS own
    ON own.tenant = kept.tenant AND own.document = kept.document AND own.version = kept.version
  WHERE kept.tenant = toolwright.current_tenant() AND own.tenant = toolwright.current_tenant();
--> statement-breakpoint
GRANT SELECT ON toolwright.chunk_index TO toolwright_tenant;
--> statement-breakpoint
-- To own something in a schema takes the right to create there.
GRANT CREATE ON SCHEMA toolwright TO toolwright_system;
--> statement-breakpoint
ALTER VIEW toolwright.chunk_index OWNER TO toolwright_system;
--> statement-breakpoint
REVOKE CREATE ON SCHEMA toolwright FROM toolwright_system;
