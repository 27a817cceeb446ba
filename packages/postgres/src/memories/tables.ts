import type { Actor } from "@toolwright/engine";
import type { MemoryCategory, MemorySource, Trust } from "@toolwright/engine/ports";
import type { ColumnType } from "kysely";

/** Written by `save_memory` alone, read as what the text says. */
type JsonText<Value> = ColumnType<Value, never, never>;

interface VersionColumns {
  tenant: string;
  owner: string;
  key: string;
  category: MemoryCategory;
  content: JsonText<string>;
  trust: Trust;
  sources: JsonText<readonly MemorySource[]>;
  by: JsonText<Actor>;
  version: number;
  saved_at: Date;
}

export interface MemoryTables {
  "toolwright.memories": VersionColumns & { session: string | null; created_at: Date; expires_at: Date | null };
  "toolwright.memory_versions": VersionColumns;
}
