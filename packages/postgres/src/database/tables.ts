import type { ColumnType, Generated, JSONColumnType } from "kysely";

type Time = ColumnType<Date, Date, Date>;

export interface Tables {
  "toolwright.tenants": { tenant: string; name: string; created_at: Generated<Date>; suspended_at: Date | null };
  "toolwright.sessions": { tenant: string; session: string; created_at: Time; last_at: Time; sequence: number; hash: string };
  "toolwright.events": {
    tenant: string;
    session: string;
    sequence: number;
    at: Time;
    type: string;
    call_id: string;
    tool: string;
    actor_kind: string;
    actor_id: string;
    agent: string | null;
    door: string;
    source: string | null;
    data: JSONColumnType<Record<string, unknown>>;
    previous: string;
    hash: string;
    process: string;
  };
}
