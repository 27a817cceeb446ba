import type { Effect } from "../contract/decision.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { CallEvent, EventType, StoredEvent } from "../contract/events.ts";
import { definePort } from "./define-port.ts";
import type { RunStatus, ToolRun } from "./to-run.ts";

export interface RunFilter {
  readonly tenant: string;
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly source?: string | undefined;
  /** Id of the person who called. */
  readonly user?: string | undefined;
  readonly door?: string | undefined;
  /** What was decided first: a call that asked counts as `ask`, whatever a person answered. One that failed before has none. */
  readonly decision?: Effect | undefined;
  /** Id of the call that made them. */
  readonly parent?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Reads on after the page that gave this as `next`; another text is refused with `invalid_input`. */
  readonly after?: string | undefined;
  /** Runs in one list. Default 50, at most 500. */
  readonly limit?: number | undefined;
}

export interface RunPage {
  readonly runs: readonly ToolRun[];
  /** For the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** Calls as records, put together from their events. *Contract:* what belongs to another tenant answers as what there is not. */
export interface RunReader {
  /** Newest first: by their beginning, or with a status by when they came to it. */
  list(filter: RunFilter): Promise<RunPage>;
  find(tenant: string, id: string): Promise<ToolRun | undefined>;
  /** The event that each call began with, newest call first: how it was decided, or that it never came to that. Without a limit all of them. */
  beginnings(filter: Omit<RunFilter, "status" | "parent">): AsyncIterable<StoredEvent<CallEvent>>;
}

export const runsPort = definePort<RunReader>()("runs", "a reader of runs, such as createMemoryRunReader(events)");

/** What a call begins with that was decided so; where a grant stands for a person, its use comes before the start. */
export const typesOfDecision: Readonly<Record<Effect, readonly EventType[]>> = {
  allow: ["tool.started", "tool.approved"],
  ask: ["tool.needs_approval"],
  deny: ["tool.denied"],
};

const defaultRuns = 50;
const mostRuns = 500;

/** The runs that a page holds. */
export function pageSizeOf({ limit }: Pick<RunFilter, "limit">): number {
  return Math.min(Math.max(1, limit ?? defaultRuns), mostRuns);
}

/** Where a page of runs ended. */
export interface RunKey {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly id: string;
}

export const formatRunKey = ({ at, id }: RunKey): string => `${at}_${id}`;

/** Throws `invalid_input` for a text that no page gave: whoever asks page by page would never come to an end. */
export function parseRunKey(after: string): RunKey {
  const [, at, id] = /^(\d{1,15})_(.{1,200})$/s.exec(after) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id };
  throw new ToolwrightError(
    "invalid_input",
    `There is no page of runs after ${JSON.stringify(after)}. Use what the page before gave as next.`,
  );
}
