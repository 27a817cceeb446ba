import type { Actor, Principal } from "@toolwright/engine";
import type { ForeignMark, RoomEventState } from "@toolwright/engine/ports";
import type { ColumnType, Generated } from "kysely";

/** Written as text, read as what the text says. */
type JsonText<Value> = ColumnType<Value, string, string>;
type OptionalJson<Value> = ColumnType<Value | null, string | undefined, string | null>;

export interface RoomTables {
  "toolwright.rooms": {
    tenant: string;
    room: string;
    title: JsonText<string>;
    agent: string;
    principal: JsonText<Principal>;
    people: readonly string[];
    created_at: Date;
    cycles: Generated<number>;
    is_working: Generated<boolean>;
    conversation: string | null;
    began: OptionalJson<string>;
    summary: OptionalJson<string>;
    error: OptionalJson<string>;
    due_at: Date | null;
    events: Generated<number>;
    messages: Generated<number>;
  };
  "toolwright.room_events": {
    tenant: string;
    room: string;
    event: number;
    body: JsonText<string>;
    by: JsonText<Actor>;
    at: Date;
    state: Generated<RoomEventState>;
    missed: Generated<number>;
    outcome: OptionalJson<string>;
    closed_by: OptionalJson<Actor>;
    closed_at: Date | null;
  };
  "toolwright.room_messages": {
    tenant: string;
    room: string;
    message: number;
    body: JsonText<string>;
    person: string | null;
    at: Date;
    foreign_mark: OptionalJson<ForeignMark>;
  };
}
