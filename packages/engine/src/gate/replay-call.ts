import { z } from "zod";
import type { Reach } from "../contract/decision.ts";
import { isJson, type Json } from "../contract/json.ts";
import { nearestName } from "../contract/nearest-name.ts";
import type { Door, Principal, Source } from "../contract/principal.ts";
import type { RecordedCall } from "../policy/simulate-policy.ts";
import type { ToolFacts } from "../policy/tool-layer.ts";
import { defaultTenant } from "../ports/tenant-store.ts";
import { fromPointer, valueAt } from "../schema/json-pointer.ts";
import { isHidden } from "../schema/sensitive.ts";
import type { AnyTool } from "../tool/define-tool.ts";
import { isCut } from "./record-events.ts";
import { nameAll, readUnseen } from "./unseen.ts";

const actor = z.object({ kind: z.enum(["user", "agent", "service"]), id: z.string() });

/** What is recorded of a call: an event as the log holds it, or just a tool and its input. */
const recordSchema = z.looseObject({
  tool: z.string().optional(),
  type: z.string().optional(),
  at: z.number().optional(),
  callId: z.string().optional(),
  tenant: z.string().default(defaultTenant),
  actor: actor.default({ kind: "user", id: "recorded" }),
  agent: z.string().optional(),
  door: z.string().default("cli"),
  source: z.string().optional(),
  input: z.unknown().optional(),
  data: z.looseObject({ input: z.unknown().optional() }).optional(),
});

/** Events that begin or refuse a call; the others tell how it went on. */
const telling = new Set(["tool.started", "tool.denied", "tool.needs_approval"]);

export interface ReplayedCall extends RecordedCall {
  readonly callId: string | undefined;
  readonly at: number | undefined;
  readonly input: Json;
}

const notRecorded = "It is not a recorded call: it needs at least a tool and an input.";

/** A tool as it is now. */
export interface ReplayTool {
  readonly definition: Pick<AnyTool, "name" | "reaches">;
  readonly facts: ToolFacts;
}

/** The call that a record is about. A sentence says why it cannot be decided again; undefined is for a record of how a call went on. */
export function readCall(value: unknown, tools: ReadonlyMap<string, ReplayTool>): ReplayedCall | string | undefined {
  const parsed = recordSchema.safeParse(unwrap(value));
  if (!parsed.success) return notRecorded;
  const { type, tool: name, data, callId, at } = parsed.data;
  if (type !== undefined && !telling.has(type)) return undefined;
  // That a client gave no answer is told by another event of the type with which its call asked.
  if (data?.note !== undefined && data.input === undefined) return undefined;
  if (name === undefined) return notRecorded;
  const tool = tools.get(name);
  const nearest = tool ? undefined : nearestName(name, tools.keys());
  if (!tool) return `There is no tool ${JSON.stringify(name)} here${nearest ? `; did you mean ${JSON.stringify(nearest)}?` : "."}`;
  const input = data?.input ?? parsed.data.input;
  if (input === undefined) return `The ${type ?? "line"} does not hold the input of the call.`;
  if (!isJson(input)) return notRecorded;
  if (isCut(input)) return "The log holds only the beginning of its input.";
  const reaches = reachesOf(tool.definition, input);
  if (typeof reaches === "string") return reaches;
  return { tool: tool.facts, reaches, principal: principalOf(parsed.data), callId, at, input };
}

/** Stored events hold the event beside their place in the log. */
function unwrap(value: unknown): unknown {
  return typeof value === "object" && value !== null && "event" in value ? value.event : value;
}

function reachesOf(tool: ReplayTool["definition"], input: unknown): readonly Reach[] | string {
  const { value, asked } = readUnseen(input, (part) => isCut(part) || isHidden(part));
  try {
    const reaches = tool.reaches?.(value as never) ?? [];
    // Read as absent it may have led elsewhere than the whole would have.
    if (asked.size === 0) return reaches;
  } catch {
    if (asked.size === 0) return `The input does not fit the tool ${tool.name}.`;
  }
  const hidden = [...asked].filter((place) => isHidden(valueAt(input, fromPointer(place))));
  if (hidden.length > 0) return `It depends on ${nameAll(hidden)}, which is sensitive: the log holds its length alone.`;
  return `It depends on ${[...asked].map((place) => JSON.stringify(place.slice(1))).join(", ")}, of which the log holds only the beginning.`;
}

function principalOf({ tenant, actor: who, agent, door, source }: z.output<typeof recordSchema>): Principal {
  return {
    tenant,
    actor: who,
    permissions: [],
    door: door as Door,
    ...(agent !== undefined && { agent }),
    ...(source !== undefined && { source: source as Source }),
  };
}
