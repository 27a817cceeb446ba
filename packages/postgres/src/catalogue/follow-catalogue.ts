import type { Snapshot, SyncReport } from "@toolwright/engine/catalogue";
import { type Clock, every, systemClock } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { leaveCatalogue, renewCatalogue, servedBy, syncCatalogue } from "./sync-catalogue.ts";

/** The part of an engine that is followed. */
export interface CatalogueSource {
  snapshot(): Snapshot;
  onChange(listener: () => void): () => void;
}

export interface FollowOptions {
  /** False while some tools cannot be loaded; asked at each change. */
  readonly isComplete: () => boolean;
  /** Hears of later changes. The first report is what `followCatalogue` resolves with. */
  readonly onReport: (report: SyncReport) => void;
  readonly clock?: Clock;
}

export interface FollowedCatalogue {
  readonly report: SyncReport;
  /** Says that the process ends. */
  stop(): Promise<void>;
}

interface Following extends FollowOptions {
  readonly process: string;
  readonly warn: (message: string) => void;
}

/** Ten of them fit into the time that a silent process is given. */
const renewMs = 30_000;
/** Files that change together are one change, and the loader has then said what it refused. */
const settleMs = 100;

/** Keeps the database at the tools of this process. Rejects when the first sync fails; what fails later is told, and tried again. */
export async function followCatalogue(database: Database, source: CatalogueSource, options: Following): Promise<FollowedCatalogue> {
  const { process, isComplete, onReport, warn, clock = systemClock } = options;
  let { revision } = source.snapshot();
  const first = await syncCatalogue(database, source.snapshot(), { process, complete: isComplete() });
  const served = new Set(servedBy(source.snapshot()));
  let held = first.held.map(({ tool }) => tool);
  const sync = async () => {
    const snapshot = source.snapshot();
    if (snapshot.revision === revision) return;
    for (const tool of servedBy(snapshot)) served.add(tool);
    // What goes while the process runs may be a file that is being moved, or a branch that is being looked at: the next start decides.
    const report = await syncCatalogue(database, snapshot, { process, complete: isComplete(), alsoServed: [...served] });
    revision = snapshot.revision;
    held = report.held.map(({ tool }) => tool);
    onReport(report);
  };
  const renew = async () => {
    await sync();
    const report = await renewCatalogue(database, { process, complete: isComplete(), held });
    held = report.held.map(({ tool }) => tool);
    if (report.removed.length > 0) onReport({ added: [], changed: [], ...report });
  };
  let last = Promise.resolve();
  const next = (work: () => Promise<void>) => {
    last = last.then(work).catch((error: unknown) => warn(`The catalogue could not be synced; it is tried again: ${String(error)}`));
  };
  let stopSettling = () => {};
  const unfollow = source.onChange(() => {
    stopSettling();
    stopSettling = clock.after(settleMs, () => next(sync), { keepAlive: true });
  });
  const stopRenewing = every(renewMs, clock, () => next(renew));
  return {
    report: first,
    async stop() {
      unfollow();
      stopSettling();
      stopRenewing();
      await last;
      await leaveCatalogue(database, process).catch((error: unknown) => warn(`Others will wait for this process: ${String(error)}`));
    },
  };
}
