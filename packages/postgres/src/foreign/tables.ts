import type { ForeignKind } from "@toolwright/engine/ports";
import type { ColumnType } from "kysely";

export interface ForeignTables {
  "toolwright.foreign_marks": {
    tenant: string;
    session: string;
    source: string;
    kind: ForeignKind;
    place: ColumnType<string | null, string | null, never>;
    call_id: string;
    tool: string;
    at: Date;
  };
}
