import { type AnyTool, type Door, nearestName, type Principal, type Reach, type RecordedCall } from "@toolwright/engine";
import { z } from "zod";
import { localTenant } from "../caller.ts";
import { factsOf } from "./load-definitions.ts";

const actor = z.object({ kind: z.enum(["user", "agent", "service"]), id: z.string() });

/** A line of a log of calls: an event as the event log holds it, or just a tool and its input. */
const line = z.looseObject({
  tool: z.string(),
  type: z.string().optional(),
  callId: z.string().optional(),
  tenant: z.string().default(localTenant),
  actor: actor.default({ kind: "user", id: "recorded" }),
  agent: z.string().optional(),
  door: z.string().default("cli"),
  input: z.unknown().optional(),
  data: z.looseObject({ input: z.unknown().optional() }).optional(),
});

/** Events that begin or refuse a call; the others tell how it went on. */
const telling = new Set(["tool.started", "tool.denied", "tool.needs_approval"]);

export interface ReplayedCall extends RecordedCall {
  /** 1-based, in the file. */
  readonly line: number;
  readonly callId: string | undefined;
  readonly input: unknown;
}

export interface RecordedCalls {
  readonly calls: readonly ReplayedCall[];
  /** Lines that cannot be replayed, and why. */
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
}

/** Reads a log of calls, one JSON object a line. Calls that cannot be decided again are told, never dropped in silence. */
export function readCalls(text: string, tools: ReadonlyMap<string, AnyTool>): RecordedCalls {
  const calls: ReplayedCall[] = [];
  const skipped: { line: number; reason: string }[] = [];
  const seen = new Set<string>();
  for (const [index, row] of text.split("\n").entries()) {
    if (row.trim() === "") continue;
    const read = readCall(row, tools);
    if (typeof read === "string") skipped.push({ line: index + 1, reason: read });
    // A call that was approved has several events; it is one call.
    else if (read && !(read.callId !== undefined && seen.has(read.callId))) {
      if (read.callId !== undefined) seen.add(read.callId);
      calls.push({ ...read, line: index + 1 });
    }
  }
  return { calls, skipped };
}

/** Undefined for a line that is about another thing than the call's beginning. */
function readCall(row: string, tools: ReadonlyMap<string, AnyTool>): Omit<ReplayedCall, "line"> | string | undefined {
  const parsed = line.safeParse(unwrap(parseJson(row)));
  if (!parsed.success) return "It is not a recorded call: it needs at least a tool and an input.";
  const { type, tool: name, data, callId } = parsed.data;
  if (type !== undefined && !telling.has(type)) return undefined;
  const tool = tools.get(name);
  const nearest = tool ? undefined : nearestName(name, tools.keys());
  if (!tool) return `There is no tool ${JSON.stringify(name)}${nearest ? `; did you mean ${JSON.stringify(nearest)}?` : "."}`;
  const input = data?.input ?? parsed.data.input;
  if (input === undefined) return `The ${type ?? "line"} does not hold the input of the call.`;
  if (isCut(input)) return "The log holds only the beginning of the input.";
  const reaches = reachesOf(tool, input);
  if (typeof reaches === "string") return reaches;
  return { tool: factsOf(tool), reaches, principal: principalOf(parsed.data), callId, input };
}

function parseJson(row: string): unknown {
  try {
    return JSON.parse(row);
  } catch {
    return undefined;
  }
}

/** Stored events hold the event beside their place in the log. */
function unwrap(value: unknown): unknown {
  return typeof value === "object" && value !== null && "event" in value ? value.event : value;
}

const isCut = (input: unknown) =>
  typeof input === "object" && input !== null && "truncated" in input && "head" in input && input.truncated === true;

function reachesOf(tool: AnyTool, input: unknown): readonly Reach[] | string {
  try {
    return tool.reaches?.(input as never) ?? [];
  } catch {
    return `The input does not fit the tool ${tool.name}.`;
  }
}

function principalOf({ tenant, actor: who, agent, door }: z.output<typeof line>): Principal {
  return { tenant, actor: who, permissions: [], door: door as Door, ...(agent !== undefined && { agent }) };
}
