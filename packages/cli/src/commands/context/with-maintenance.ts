import { createEngine, ToolwrightError } from "@toolwright/engine";
import type { StoreInspector } from "@toolwright/engine/ports";
import type { Maintenance } from "@toolwright/postgres";
import { inspectStore, openStateMaintenance } from "@toolwright/server/store";
import { openLogger } from "@toolwright/server/text";
import { cliPrincipal } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import type { Operate } from "./operate.ts";

/** Opens the store as it is, whatever version it has. */
export async function withMaintenance<Result>(
  io: Io,
  options: CommonOptions,
  use: (store: Maintenance, inspector: StoreInspector) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings(options, io);
  const store = await openStateMaintenance(settings, { command: "db" }, await openLogger(io));
  try {
    return await use(store, inspectStore(store, settings));
  } finally {
    await store.close();
  }
}

/** Operations on the store as it is. */
export function withInspector<Result>(io: Io, options: CommonOptions, use: (operate: Operate) => Promise<Result>): Promise<Result> {
  return withMaintenance(io, options, async (_, inspector) => {
    const engine = createEngine({ logger: await openLogger(io), administration: { store: inspector } });
    try {
      return await use((name, input) => engine.operate(cliPrincipal(io, true), name, input, { signal: io.signal }).catch(refuseOutdated));
    } finally {
      await engine.close();
    }
  });
}

/** Rethrows `store_outdated` as a `CliError`, which ends the command with exit code 2; rethrows any other error unchanged. */
export function refuseOutdated(cause: unknown): never {
  if (!ToolwrightError.is(cause) || cause.code !== "store_outdated") throw cause;
  throw new CliError(cause.message, { cause });
}
