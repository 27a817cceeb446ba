import { setImmediate as nextTurn } from "node:timers/promises";
import { Ends } from "./ends.ts";
import type { ServerIo } from "./io.ts";
import { requireNamedTools, type Settings } from "./settings.ts";
import { openState } from "./state/open-state.ts";
import { openLogger } from "./text/open-logger.ts";
import type { ComposeOptions, Toolwright } from "./toolwright.ts";

export type { ComposeOptions, PolicyObserver, Toolwright } from "./toolwright.ts";

/** Puts the product together. */
export async function composeToolwright(settings: Settings, io: ServerIo, options: ComposeOptions = {}): Promise<Toolwright> {
  requireNamedTools(settings);
  const logger = await openLogger(io);
  const open = async () => (await import("./machine/machine.ts")).openMachine(io, logger, options.ownHosts);
  // First, and beside the store: to start a program takes longer the more the process that starts it holds.
  const looked = options.callsNothing || options.looksLater ? undefined : await open();
  const looking = looked?.look();
  const opening = openState(settings, options.holder ?? { command: "command", brief: options.callsNothing }, logger);
  const ends = new Ends();
  ends.add(async () => (await opening).close());
  try {
    // A database that is being read from the disk leaves this thread alone, which loads all else meanwhile.
    await Promise.race([opening, nextTurn()]);
    const [{ composeOn }, machine] = await Promise.all([import("./compose-on.ts"), looked ?? open()]);
    ends.add(() => machine.close());
    const [store] = await Promise.all([opening, looking]);
    return await composeOn(store, settings, io, { ...options, machine, logger, ends });
  } catch (error) {
    await ends.close().catch(() => undefined);
    throw error;
  }
}
