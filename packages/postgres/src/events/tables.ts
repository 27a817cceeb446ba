import type { ColumnType, Generated, JSONColumnType } from "kysely";

type Time = ColumnType<Date, Date, Date>;

export interface EventTables {
  "toolwright.sessions": {
    tenant: string;
    session: string;
    created_at: Time;
    last_at: Time;
    written_at: Generated<Date>;
    sequence: Generated<number>;
    hash: Generated<string>;
    removed_through: Generated<number>;
    removed_hash: Generated<string>;
    removed_at: Date | null;
    has_messages: Generated<boolean>;
    owner: string | null;
    agent: string | null;
    kind: Generated<string>;
    title: string | null;
    status: Generated<string>;
    name: Generated<string | null>;
    shared_with: Generated<string[]>;
  };
  "toolwright.events": {
    tenant: string;
    session: string;
    sequence: number;
    at: Time;
    type: string;
    call_id: string | null;
    tool: string | null;
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
  "toolwright.event_writers": { tenant: string; writer: string; batch: number; written_at: Date };
}
