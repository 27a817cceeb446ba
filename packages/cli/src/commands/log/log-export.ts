import { localTenant } from "@toolwright/server/local";
import { jsonLine } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import { readPast } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { type TenantOptions, withStore } from "../context/with-store.ts";

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
