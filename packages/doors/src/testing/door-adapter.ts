import type { CallResult, CallStatus, Engine, Json, JsonObject, Principal } from "@toolwright/engine";
import type { SchemaTarget } from "@toolwright/engine/schema";

/** Where a door is opened: an engine of its own, and who stands behind the door. */
export interface DoorWorld {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly session: string;
}

/** A tool as a door offers it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** With the union at its top, where the engine's own list has it flattened. */
  readonly unionSchema?: JsonObject | undefined;
}

/** What a client was told of one call. */
export interface DoorAnswer {
  readonly status: CallStatus;
  readonly output?: Json | undefined;
  readonly error?: { readonly code: string; readonly toolCode?: string | undefined; readonly message: string } | undefined;
  readonly decision?: { readonly effect: string; readonly layer: string; readonly rule: string; readonly reason: string } | undefined;
  readonly approval?: { readonly id: string; readonly summary: string; readonly reason: string } | undefined;
  /** JSON pointers into the input. */
  readonly repaired?: readonly string[];
  /** JSON pointers into the output. */
  readonly cut?: readonly string[];
  /** What the caller has to know beside the output, in sentences. */
  readonly notes?: readonly string[];
  /** Names and sizes in bytes. */
  readonly artifacts?: readonly string[];
}

/** A client on the other side of a door. */
export interface DoorClient {
  list(): Promise<readonly OfferedTool[]>;
  call(name: string, input: Json): Promise<DoorAnswer>;
  /** Goes on with a call after its approval was answered. Default: the same call again. */
  resume?(approvalId: string): Promise<DoorAnswer>;
  /** All that came over the wire since it was last asked, as text. */
  heard(): string;
  close(): Promise<void>;
}

/** One door for the suite: a file for each. */
export interface DoorAdapter {
  /** As it stands in the report: `mcp-2026-07-28-http`. */
  readonly name: string;
  /** Whose schemas it offers. Default: those of the engine as they are. */
  readonly target?: SchemaTarget;
  /** Parts of an answer that its wire has no place for, each with a sentence that says why: they are not compared, and the report says so. */
  readonly leavesOut?: Readonly<Partial<Record<keyof DoorAnswer, string>>>;
  open(world: DoorWorld): Promise<DoorClient>;
}

/** What a door that leaves nothing out tells of a result. */
export function answerOf(result: CallResult): DoorAnswer {
  const { status, repairs, artifacts } = result;
  return {
    status,
    repaired: repairs.map(({ path }) => path),
    notes: result.notes ?? [],
    artifacts: artifacts.map(({ name, size }) => `${name}, ${size} bytes`),
    ...(status === "done" && { output: result.output, cut: result.truncations.map(({ path }) => path) }),
    ...((status === "failed" || status === "unknown") && { error: errorOf(result.error) }),
    ...((status === "denied" || status === "pending") && { decision: decisionOf(result.decision) }),
    ...(status === "pending" && { approval: approvalOf(result.approval) }),
  };
}

export const errorOf = ({ code, toolCode, message }: NonNullable<DoorAnswer["error"]>) => ({
  code,
  message,
  ...(toolCode !== undefined && { toolCode }),
});

export const decisionOf = ({ effect, layer, rule, reason }: NonNullable<DoorAnswer["decision"]>) => ({ effect, layer, rule, reason });

export const approvalOf = ({ id, summary, reason }: NonNullable<DoorAnswer["approval"]>) => ({ id, summary, reason });
