import { type ChainEnd, chainStart, checkChain, type Fault } from "../contract/check-chain.ts";
import type { SessionEvent, StoredEvent } from "../contract/events.ts";
import type { AnchoredHead } from "../contract/log-anchor.ts";
import type { FollowEventsOptions, LoggedSessionFilter, SessionHead, SessionReader, SessionReport } from "../ports/session-reader.ts";
import type { MemoryEventLog } from "./event-log.ts";

const keyOf = ({ tenant, session }: Pick<SessionHead, "tenant" | "session">) => JSON.stringify([tenant, session]);

/** Reads the log that `createMemoryEventLog` keeps. */
export function createMemorySessionReader(log: MemoryEventLog): SessionReader {
  const heads = ({ tenant, session }: LoggedSessionFilter) =>
    log
      .heads()
      .filter((head) => (tenant ?? head.tenant) === head.tenant && (session ?? head.session) === head.session)
      .sort((a, b) => compare(a.tenant, b.tenant) || compare(a.session, b.session));
  return {
    async *list(filter) {
      yield* heads(filter);
    },
    async page({ call, output = true, limit = 10_000, ...page }) {
      if (call === undefined && output) return log.read({ limit, ...page });
      const isWanted = ({ callId, type }: SessionEvent) => (call ?? callId) === callId && (output || type !== "tool.output_appended");
      return (await log.read(page)).filter(({ event }) => isWanted(event)).slice(0, limit);
    },
    follow: (options, signal) => followLog(log, { ...options, heads: () => heads(options) }, signal),
    async *verify({ anchor, ...filter }) {
      const wanted = (anchor?.heads ?? []).filter(
        ({ tenant, session }) => (filter.tenant ?? tenant) === tenant && (filter.session ?? session) === session,
      );
      const anchored = new Map(wanted.map((head) => [keyOf(head), head]));
      for (const head of heads(filter)) {
        yield await verifySession(log, head, anchored.get(keyOf(head)));
        anchored.delete(keyOf(head));
      }
      for (const head of anchored.values()) yield reportMissing(head);
    },
  };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

interface Following extends FollowEventsOptions {
  readonly heads: () => readonly SessionHead[];
}

async function* followLog(log: MemoryEventLog, options: Following, signal: AbortSignal): AsyncGenerator<StoredEvent> {
  const { tenant, session: only, after, onReady, heads } = options;
  let hasNews = true;
  let wake = () => {};
  const hear = () => {
    hasNews = true;
    wake();
  };
  const stopListening = log.onAppend(hear);
  signal.addEventListener("abort", hear, { once: true });
  try {
    const places = new Map(heads().map(({ session, sequence }) => [session, sequence]));
    if (only !== undefined && after !== undefined) places.set(only, after);
    onReady?.();
    while (!signal.aborted) {
      if (!hasNews)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      hasNews = false;
      for (const { session, sequence } of heads()) {
        if (sequence <= (places.get(session) ?? 0)) continue;
        for (const stored of await log.read({ tenant, session, after: places.get(session) ?? 0 })) {
          if (signal.aborted) return;
          places.set(session, stored.sequence);
          yield stored;
        }
      }
    }
  } finally {
    stopListening();
    signal.removeEventListener("abort", hear);
  }
}

async function verifySession(log: MemoryEventLog, head: SessionHead, anchored: AnchoredHead | undefined): Promise<SessionReport> {
  const { tenant, session, removed } = head;
  const begin: ChainEnd = removed ? { sequence: removed.through, hash: removed.hash } : chainStart;
  const events = await log.read({ tenant, session });
  const { faults, end } = checkChain(events, begin);
  const isRewritten = [begin, ...events].some(({ sequence, hash }) => sequence === anchored?.sequence && hash !== anchored.hash);
  const report = { tenant, session, events: events.length, faults: [...faults, ...faultsOfAnchor(end, anchored, isRewritten)] };
  return { ...report, ...(removed && { removed: { through: removed.through, at: removed.at } }) };
}

function faultsOfAnchor(end: ChainEnd, anchored: AnchoredHead | undefined, isRewritten: boolean): readonly Fault[] {
  if (!anchored) return [];
  const { sequence } = anchored;
  if (isRewritten)
    return [{ kind: "rewritten", sequence, message: `Event ${sequence} is not the one that was anchored: the chain was rewritten.` }];
  if (end.sequence >= sequence) return [];
  return [{ kind: "truncated", sequence: end.sequence + 1, message: `The log ends before event ${sequence}, which was anchored.` }];
}

function reportMissing({ tenant, session, sequence }: AnchoredHead): SessionReport {
  const message = `The whole session is missing; ${sequence} events were anchored.`;
  return { tenant, session, events: 0, faults: [{ kind: "session_removed", sequence, message }] };
}
