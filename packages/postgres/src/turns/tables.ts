import type { CallError, CallResult, CallUsage, Json, Principal } from "@toolwright/engine";
import type { CutReason, TurnBudget, TurnState } from "@toolwright/engine/ports";
import type { ColumnType, Generated } from "kysely";

/** Written as text, read as what the text says. */
type JsonText<Value> = ColumnType<Value, string, string>;
type DefaultJson<Value> = ColumnType<Value, string | undefined, string>;

export interface TurnTables {
  "toolwright.turns": {
    tenant: string;
    turn: string;
    conversation: string;
    agent: string;
    owner: string | null;
    principal: JsonText<Principal>;
    profile: ColumnType<Json | null, string | undefined, null>;
    call_id: string;
    state: Generated<TurnState>;
    steps: Generated<number>;
    answer: DefaultJson<string>;
    reached_limit: string | null;
    finish_reason: CutReason | null;
    error: ColumnType<CallError | null, string | undefined, string | null>;
    waits_for: DefaultJson<readonly string[]>;
    cancel_reason: string | null;
    usage: DefaultJson<CallUsage>;
    parent: string | null;
    background: Generated<boolean>;
    reserved: DefaultJson<Partial<TurnBudget>>;
    created_at: Date;
    ended_at: Date | null;
    holder: string;
    held_until: Date;
  };
  "toolwright.messages": { tenant: string; conversation: string; sequence: number; turn: string; message: JsonText<Json>; at: Date };
  "toolwright.contexts": { tenant: string; conversation: string; context: JsonText<Json> };
  "toolwright.queued_messages": { tenant: string; turn: string; position: number; message: JsonText<Json> };
  "toolwright.turn_steps": {
    tenant: string;
    turn: string;
    step: number;
    response: JsonText<Json>;
    results: DefaultJson<Readonly<Record<string, CallResult>>>;
  };
  "toolwright.turn_parts": { tenant: string; turn: string; position: number; since: number | null; chunks: JsonText<readonly Json[]> };
}
