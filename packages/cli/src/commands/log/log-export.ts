import type { SessionHead } from "@toolwright/engine/ports";
import { localTenant } from "@toolwright/server/local";
import { jsonLine, oneLine } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import { readPast } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withOperations } from "../context/with-operations.ts";
import { type TenantOptions, withStore } from "../context/with-store.ts";
import { readCount } from "../jobs/jobs.ts";

interface SinceOptions extends TenantOptions {
  readonly since?: string;
}

const eventsAtOnce = 1_000;

/** Session by session, each line as `log show --json` writes it. */
export function exportLog(io: Io, options: SinceOptions): Promise<number> {
  const { tenant = localTenant } = options;
  const since = options.since === undefined ? 0 : readPast("--since", options.since);
  return withStore(io, options, async ({ log }) => {
    for await (const { session, lastAt } of log.list({ tenant })) {
      if (lastAt < since) continue;
      for (let after = 0; ; ) {
        if (io.signal.aborted) return exitCodes.cancelled;
        const some = await log.page({ tenant, session, after, limit: eventsAtOnce });
        const lines = some.filter(({ event }) => event.at >= since).map((stored) => `${jsonLine(stored)}\n`);
        if (lines.length > 0) await io.outBytes(Buffer.from(lines.join("")));
        if (some.length < eventsAtOnce) break;
        after = some.at(-1)?.sequence ?? after;
      }
    }
    return exitCodes.done;
  });
}

type SessionsOptions = SinceOptions & RemoteOptions & { readonly limit?: string };

export function sessions(io: Io, options: SessionsOptions): Promise<number> {
  const { json } = options;
  const limit = readCount(options.limit ?? "100", "--limit");
  const since = options.since === undefined ? undefined : readPast("--since", options.since);
  return withOperations(io, options, async (operate) => {
    const { items, more } = await operate("events.heads", { since, limit });
    if (json) io.out(items.map((head) => `${jsonLine(head)}\n`).join(""));
    else if (items.length === 0) io.out(since ? "There is no such session.\n" : "There are no sessions yet: toolwright call TOOL\n");
    else io.out(`${renderTable(["last event", "events", "removed", "session"], items.map(toRow), io.columns)}\n`);
    if (more > 0 && !json) io.err(`There are ${more} more: --limit ${items.length + more}\n`);
    return exitCodes.done;
  });
}

const toRow = ({ lastAt, sequence, removed, session }: SessionHead) => [
  `${new Date(lastAt).toISOString().slice(0, 19)}Z`,
  String(sequence - (removed?.through ?? 0)),
  String(removed?.through ?? 0),
  oneLine(session),
];
