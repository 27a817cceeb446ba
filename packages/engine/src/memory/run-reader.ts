import { type CallEvent, isCallEvent, type StoredEvent } from "../contract/events.ts";
import {
  formatRunKey,
  pageSizeOf,
  parseRunKey,
  type RunFilter,
  type RunKey,
  type RunReader,
  typesOfDecision,
} from "../ports/run-reader.ts";
import { type ToolRun, toRun } from "../ports/to-run.ts";
import type { MemoryEventLog } from "./event-log.ts";

type StoredCallEvent = StoredEvent<CallEvent>;

type StoredCall = readonly [StoredCallEvent, ...StoredCallEvent[]];

interface Found {
  readonly first: StoredCallEvent;
  readonly run: ToolRun;
  readonly key: RunKey;
}

/** What a call can begin with: one whose beginning was forgotten is no run any more. */
const beginnings: ReadonlySet<CallEvent["type"]> = new Set([
  "tool.started",
  "tool.denied",
  "tool.needs_approval",
  "tool.failed",
  "tool.cancelled",
]);

/** Reads calls from the log that `createMemoryEventLog` keeps. */
export function createMemoryRunReader(log: MemoryEventLog): RunReader {
  const find = async (filter: Omit<RunFilter, "limit">): Promise<readonly Found[]> => {
    const after = filter.after === undefined ? undefined : parseRunKey(filter.after);
    const calls = await readCalls(log, filter.tenant);
    return calls
      .flatMap((events) => toFound(events, filter) ?? [])
      .filter(({ key }) => after === undefined || compareKeys(after, key) < 0)
      .sort((a, b) => compareKeys(a.key, b.key));
  };
  return {
    async list(filter) {
      const found = await find(filter);
      const page = found.slice(0, pageSizeOf(filter));
      const last = page.at(-1);
      return { runs: page.map(({ run }) => run), next: last && found.length > page.length ? formatRunKey(last.key) : undefined };
    },
    async find(tenant, id) {
      const call = (await readCalls(log, tenant)).find(([{ event }]) => event.callId === id);
      return call && toRun(call);
    },
    async *beginnings({ limit, ...filter }) {
      const found = await find(filter);
      for (const { first } of found.slice(0, limit)) yield first;
    },
  };
}

/** The events of each call of a tenant, oldest first, without what it put out in between. */
async function readCalls(log: MemoryEventLog, tenant: string): Promise<readonly StoredCall[]> {
  const sessions = log.heads().filter((head) => head.tenant === tenant);
  const events = await Promise.all(sessions.map(({ session }) => log.read({ tenant, session })));
  const ofCalls = events
    .flat()
    .filter((stored): stored is StoredCallEvent => isCallEvent(stored.event) && stored.event.type !== "tool.output_appended");
  return [...Map.groupBy(ofCalls, ({ event }) => event.callId).values()].flatMap(([first, ...rest]) => (first ? [[first, ...rest]] : []));
}

/** Newest first. */
function compareKeys(a: RunKey, b: RunKey): number {
  return b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** A grant is used before the start; an answer comes after the question, which was then forgotten. */
const isBeginning = ({ type, data }: CallEvent) => beginnings.has(type) || (type === "tool.approved" && data.grants !== undefined);

function toFound(events: StoredCall, { tool, agent, source, status, since, ...filter }: RunFilter): Found | undefined {
  const run = toRun(events);
  const [first] = events;
  if ((filter.user ?? run.user) !== run.user || (filter.door ?? run.door) !== run.door) return undefined;
  if ((filter.parent ?? run.parent) !== run.parent) return undefined;
  if (filter.decision !== undefined && !typesOfDecision[filter.decision].includes(first.event.type)) return undefined;
  const last = events.at(-1) ?? first;
  if (status !== undefined && (run.status !== status || last.event.type === "tool.approved")) return undefined;
  const { event } = status === undefined ? first : last;
  if (status === undefined && !isBeginning(event)) return undefined;
  if ((tool ?? event.tool) !== event.tool || (source ?? event.source) !== event.source) return undefined;
  if ((agent ?? event.agent) !== event.agent || event.at < (since ?? event.at)) return undefined;
  return { first: events.find(({ event: { type } }) => beginnings.has(type)) ?? first, run, key: { at: event.at, id: event.callId } };
}
