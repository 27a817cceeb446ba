import type { Actor } from "@toolwright/engine";
import type { DocumentSource, DocumentState, MemorySource, NewDocument, Trust } from "@toolwright/engine/ports";
import type { ColumnType, Generated } from "kysely";

/** Written as text, read as what the text says. */
type JsonText<Value> = ColumnType<Value, string, string>;
type OptionalJson<Value> = ColumnType<Value | null, string | undefined, string | null>;

export interface KnowledgeTables {
  "toolwright.documents": {
    tenant: string;
    document: string;
    collection: string;
    place: string | null;
    title: JsonText<string>;
    source: JsonText<DocumentSource>;
    media_type: JsonText<string>;
    hash: string;
    trust: Trust;
    sources: JsonText<readonly MemorySource[]>;
    by: JsonText<Actor>;
    version: Generated<number>;
    state: DocumentState;
    error: OptionalJson<string>;
    chunks: Generated<number>;
    characters: Generated<number>;
    pages: number | null;
    created_at: Date;
    updated_at: Date;
    next_version: number | null;
    upload: string | null;
    due_at: Date | null;
    holder: string | null;
    attempts: Generated<number>;
  };
  "toolwright.document_uploads": { tenant: string; upload: string; given: JsonText<NewDocument>; written_at: Date };
  "toolwright.document_bytes": { tenant: string; upload: string; part: number; bytes: Buffer };
  "toolwright.chunks": {
    tenant: string;
    document: string;
    chunk: number;
    version: number;
    content: JsonText<string>;
    headings: JsonText<readonly string[]>;
    page: number | null;
    cell: number | null;
    from_line: number | null;
    to_line: number | null;
    from_char: number;
    names: string;
    words: string;
  };
  "toolwright.chunk_index": { document: string; chunk: number; version: number; collection: string; names: string; words: string };
}
