import { composeToolwright, type Toolwright } from "@toolwright/server/compose";
import { type RunningLoops, startLoops } from "@toolwright/server/loops";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { tellPolicy } from "../../output/tell-policy.ts";
import { tellReload } from "../../output/tell-reload.ts";
import { type CommonOptions, ensureWorkspace, readSettings } from "../../settings.ts";
import { aborted } from "../context/aborted.ts";
import { endWithin } from "../context/end-within.ts";

export interface WorkerOptions extends CommonOptions {
  readonly concurrency?: string;
  readonly perTenant?: string;
  readonly grace?: string;
}

/** Milliseconds beyond the grace of its jobs for the rest to be brought to an end. */
const closeMs = 10_000;

/** Runs jobs until a signal comes. */
export async function worker(io: Io, options: WorkerOptions): Promise<number> {
  const concurrency = readCount(options.concurrency ?? "8", "--concurrency");
  const tenantConcurrency = readCount(options.perTenant ?? "4", "--per-tenant");
  const graceMs = readCount(options.grace ?? "10", "--grace") * 1_000;
  const settings = readSettings(options, io);
  await ensureWorkspace(settings, io);
  const toolwright = await composeToolwright(settings, io, {
    onReload: (report) => tellReload(io, report),
    onPolicy: tellPolicy(io),
    holder: { command: "worker", stays: true },
  });
  let working: RunningLoops | undefined;
  try {
    working = await startWork(toolwright, { concurrency, tenantConcurrency });
    for (const { message } of toolwright.loaded?.problems ?? []) io.err(`Left out: ${message}\n`);
    io.err(`Waiting for jobs, up to ${concurrency} at once. Stop with Ctrl+C.\n`);
    await aborted(io.signal);
    io.endWithin?.(graceMs + 2 * closeMs);
    io.err(
      working.running === 0
        ? "Stopping.\n"
        : `Stopping: ${working.running} jobs have ${graceMs / 1_000} s to end; what is left then is handed back.\n`,
    );
  } finally {
    const closing = async () => {
      await Promise.all([toolwright.leaving.begin(graceMs, toolwright.store.clock), working?.stop(graceMs)]);
      await toolwright.close();
    };
    await endWithin(graceMs + closeMs, closing(), { toolwright, io });
  }
  return exitCodes.done;
}

/** A number from 1 on. `option` is the one that names it. */
function readCount(text: string, option: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new CliError(`${option} wants a number from 1 on; "${text}" is none.`);
  return count;
}

/** Works off what waits: jobs, rooms, turns of agents that lost their process, texts. */
const startWork = ({ engine, logger, store, leaving, embedders }: Toolwright, limits: WorkLimits = {}): Promise<RunningLoops> =>
  startLoops({ store, embedders, logger, agents: { engine, leaving }, worker: { store, ...limits } });

interface WorkLimits {
  readonly concurrency?: number;
  readonly tenantConcurrency?: number;
}

const againMs = 5_000;

/** A worker inside another command, started when it can be. Returns how to stop it. */
export function workInside(toolwright: Toolwright): (graceMs: number) => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let wake = () => {};
  const start = async (): Promise<RunningLoops | undefined> => {
    while (!stopped) {
      try {
        return await startWork(toolwright);
      } catch (error) {
        toolwright.logger.log("error", "Jobs do not run: the worker could not start; it tries again.", {
          error: error instanceof Error ? error.message : String(error),
        });
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, againMs);
        });
      }
    }
    return undefined;
  };
  const started = start();
  return async (graceMs) => {
    stopped = true;
    clearTimeout(timer);
    wake();
    await (await started)?.stop(graceMs);
  };
}
