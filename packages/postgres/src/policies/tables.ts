import type { ColumnType, JSONColumnType } from "kysely";

export interface PolicyTables {
  "toolwright.policy_versions": {
    tenant: string;
    revision: number;
    document: JSONColumnType<object>;
    author_kind: string;
    author_id: string;
    note: string;
    created_at: ColumnType<Date, Date, never>;
  };
}
