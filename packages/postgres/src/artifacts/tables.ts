import type { Generated } from "kysely";

export interface ArtifactTables {
  "toolwright.artifact_contents": {
    tenant: string;
    content: string;
    hash: string | null;
    size: Generated<number>;
    written_at: Generated<Date>;
  };
  "toolwright.artifact_chunks": { tenant: string; content: string; number: number; bytes: Buffer };
  "toolwright.artifacts": {
    tenant: string;
    artifact: string;
    session: string;
    call_id: string;
    name: string;
    media_type: string;
    content: string;
    created_at: Generated<Date>;
    number: Generated<number>;
  };
}
