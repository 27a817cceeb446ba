import { type ChainEnd, chainStart, checkChain, type Fault } from "./check-chain.ts";
import type { StoredEvent } from "./events.ts";
import type { Anchor, AnchoredHead } from "./log-anchor.ts";

/** What an export shows of one session. */
export interface ExportReport {
  readonly tenant: string;
  readonly session: string;
  readonly events: number;
  /** The first event that the export has; what was before it is not checked. */
  readonly from: number;
  readonly faults: readonly Fault[];
}

export interface VerifyExportOptions {
  /** Only this session. */
  readonly session?: string | undefined;
  /** Heads that were written down elsewhere: with them, an export that was cut off or made up shows too. */
  readonly anchor?: Anchor | undefined;
}

interface Chain {
  readonly from: number;
  readonly anchored: AnchoredHead | undefined;
  readonly faults: Fault[];
  end: ChainEnd;
  events: number;
}

const mostFaults = 20;
const keyOf = ({ tenant, session }: Pick<ExportReport, "tenant" | "session">) => JSON.stringify([tenant, session]);

/** Checks the chains of exported events, which come in the order of their sessions; the store is not needed. */
export async function verifyExport(
  events: AsyncIterable<StoredEvent>,
  { session, anchor }: VerifyExportOptions = {},
): Promise<readonly ExportReport[]> {
  const heads = (anchor?.heads ?? []).filter((head) => (session ?? head.session) === head.session);
  const anchored = new Map(heads.map((head) => [keyOf(head), head]));
  const chains = new Map<string, Chain>();
  for await (const stored of events) {
    if (session !== undefined && stored.event.session !== session) continue;
    const key = keyOf(stored.event);
    const chain = chains.get(key) ?? beginChain(stored, anchored.get(key));
    chains.set(key, chain);
    addEvent(chain, stored);
  }
  const tenants = new Set([...chains.keys()].map((key) => (JSON.parse(key) as [string])[0]));
  const missing = heads.filter((head) => tenants.has(head.tenant) && head.sequence > (head.removed ?? 0) && !chains.has(keyOf(head)));
  return [...[...chains].map(([key, chain]) => toReport(key, chain)), ...missing.map(reportMissing)];
}

/** An export since a time begins in the middle of a session: there its first event says itself what it follows. */
function beginChain({ sequence, previous }: StoredEvent, anchored: AnchoredHead | undefined): Chain {
  const end = sequence > 1 ? { sequence: sequence - 1, hash: previous } : chainStart;
  return { from: sequence, anchored, faults: [], end, events: 0 };
}

function addEvent(chain: Chain, stored: StoredEvent): void {
  const { faults, end } = checkChain([stored], chain.end);
  chain.faults.push(...faults);
  const { sequence, hash } = chain.anchored ?? {};
  if (sequence === stored.sequence && hash !== stored.hash)
    chain.faults.push({
      kind: "rewritten",
      sequence,
      message: `Event ${sequence} is not the one that was anchored: the chain was rewritten.`,
    });
  chain.faults.splice(mostFaults);
  chain.end = end;
  chain.events += 1;
}

function toReport(key: string, { from, anchored, faults, end, events }: Chain): ExportReport {
  const [tenant, session] = JSON.parse(key) as [string, string];
  const cut: readonly Fault[] =
    anchored && end.sequence < anchored.sequence
      ? [
          {
            kind: "truncated",
            sequence: end.sequence + 1,
            message: `The export ends before event ${anchored.sequence}, which was anchored.`,
          },
        ]
      : [];
  return { tenant, session, events, from, faults: [...faults, ...cut] };
}

function reportMissing({ tenant, session, sequence }: AnchoredHead): ExportReport {
  const message = `The whole session is missing from the export; ${sequence} events were anchored.`;
  return { tenant, session, events: 0, from: 0, faults: [{ kind: "session_removed", sequence, message }] };
}
