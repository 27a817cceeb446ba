import type { CallSite, Exec } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import type { BackgroundProcess } from "./background-process.ts";
import { ownerOf } from "./process-owner.ts";
import type { ProcessRegistry } from "./process-registry.ts";

const defaultReadBytes = 65_536;
const longestWaitMs = 60_000;

/** The background processes of a call's owner, and of nobody else. */
export function manageProcesses(registry: ProcessRegistry, site: CallSite, clock: Clock): Omit<Exec, "run" | "runWithin" | "start"> {
  const owner = ownerOf(site);
  return {
    async list() {
      return registry.listOf(owner).map((process) => process.info());
    },
    async read(id, { cursor = 0, waitMs = 0, maxBytes = defaultReadBytes } = {}) {
      const process = registry.find(owner, id);
      await process.output.waitFor(cursor, { waitMs: Math.min(waitMs, longestWaitMs), clock, signal: site.signal });
      await process.checkMetadata();
      report(process, site);
      return { ...process.output.read(cursor, maxBytes), info: process.info() };
    },
    async write(id, data, { end = false } = {}) {
      await registry.find(owner, id).write(data, { end, signal: site.signal });
    },
    async stop(id) {
      const process = registry.find(owner, id);
      await process.kill();
      report(process, site);
      return process.info();
    },
  };
}

function report(process: BackgroundProcess, site: CallSite): void {
  site.reportPosture(process.info().posture);
  for (const anomaly of process.anomalies) site.reportAnomaly(anomaly);
}
