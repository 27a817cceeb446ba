import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "@toolwright/postgres";
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
  const ends = new Ends();
  let opening: Promise<Store> | undefined;
  // The last to end.
  ends.add(async () => (await opening)?.close());
  const openMachineHere = async () => {
    const machine = (await import("./machine/machine.ts")).openMachine(io, logger, options.ownHosts);
    ends.add(() => machine.close());
    return machine;
  };
  // First, and beside the store: to start a program takes longer the more the process that starts it holds.
  const looked = options.callsNothing || options.looksLater ? undefined : await openMachineHere();
  const looking = looked?.look();
  opening = openState(settings, options.holder ?? { command: "command", brief: options.callsNothing }, logger);
  try {
    // A database that is being read from the disk leaves this thread alone, which loads all else meanwhile.
    await Promise.race([opening, nextTurn()]);
    const [{ composeOn }, machine] = await Promise.all([import("./compose-on.ts"), looked ?? openMachineHere()]);
    const [store] = await Promise.all([opening, looking]);
    return await composeOn(store, settings, io, { ...options, machine, logger, ends });
  } catch (error) {
    await ends.close().catch(() => undefined);
    throw error;
  }
}
