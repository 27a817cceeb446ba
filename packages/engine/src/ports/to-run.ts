import type { CallEvent, StoredEvent } from "../contract/events.ts";
import type { Json } from "../contract/json.ts";
import type { Actor, Door, Source } from "../contract/principal.ts";

export const runStatuses = ["running", "success", "error", "unknown", "cancelled", "denied", "pending"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** One call as one record, put together from its events. It is a view: nothing stores it. */
export interface ToolRun {
  /** Id of the call; the API gives it with the answer. */
  readonly id: string;
  readonly tenant: string;
  readonly session: string;
  readonly tool: string;
  /** Id of the call that made this one; null when none did. */
  readonly parent: string | null;
  /** Who called, as the log has it: a person, an agent, or a key or other service. */
  readonly caller: Actor;
  /** The user who asked; null when an agent or a service did. */
  readonly user: string | null;
  readonly agent: string | null;
  /** As the log keeps it: a large one is cut, and says so. */
  readonly input: Json;
  readonly output: Json;
  readonly status: RunStatus;
  readonly error: string | null;
  /** Null until it has ended. */
  readonly durationMs: number | null;
  readonly source: Source | null;
  readonly door: Door;
  /** Milliseconds since the epoch, of its first event. */
  readonly startedAt: number;
}

type StoredCall = StoredEvent<CallEvent>;

/** The record of one call from its events, oldest first; output chunks are not needed. */
export function toRun(events: readonly [StoredCall, ...StoredCall[]]): ToolRun {
  const [{ event: first }] = events;
  const last = (events.at(-1) ?? events[0]).event;
  const input = events.map(({ event }) => event.data.input).find((given) => given !== undefined);
  const { durationMs } = last.data;
  const status = statusOf(last);
  const hasEnded = status !== "running" && status !== "pending";
  return {
    id: first.callId,
    tenant: first.tenant,
    session: first.session,
    tool: first.tool,
    parent: textOf((first.data.place as { parent?: unknown } | undefined)?.parent),
    caller: first.actor,
    user: first.actor.kind === "user" ? first.actor.id : null,
    agent: first.agent ?? (first.actor.kind === "agent" ? first.actor.id : null),
    input: input ?? null,
    output: last.data.output ?? null,
    status,
    error: errorOf(last),
    durationMs: hasEnded && typeof durationMs === "number" ? durationMs : null,
    source: first.source ?? null,
    door: first.door,
    startedAt: first.at,
  };
}

function statusOf({ type, data }: CallEvent): RunStatus {
  switch (type) {
    case "tool.completed":
      return "success";
    case "tool.failed":
      return data.outcome === "unknown" ? "unknown" : "error";
    case "tool.cancelled":
      return "cancelled";
    case "tool.denied":
      return "denied";
    case "tool.needs_approval":
      return "pending";
    default:
      return "running";
  }
}

function errorOf({ type, data }: CallEvent): string | null {
  if (type === "tool.failed") return textOf((data.error as { message?: unknown } | undefined)?.message);
  return type === "tool.denied" || type === "tool.cancelled" ? textOf(data.reason) : null;
}

const textOf = (value: unknown) => (typeof value === "string" ? value : null);
