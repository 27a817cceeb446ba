import { existsSync } from "node:fs";
import { join } from "node:path";
import { createEngine, type EngineOptions } from "@toolwright/engine";
import type { MachineInspector } from "@toolwright/engine/ports";
import type { Maintenance } from "@toolwright/postgres";
import type { Settings } from "@toolwright/server/settings";
import { openLogger } from "@toolwright/server/text";
import { cliPrincipal } from "../../caller.ts";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import type { Operate } from "./operate.ts";

/** Operations on this machine itself. A store that cannot be opened is a finding, and one that does not exist is not made. */
export async function withMachine<Result>(
  io: Io,
  { loadsTools, ...options }: CommonOptions & { readonly loadsTools: boolean },
  use: (operate: Operate) => Promise<Result>,
): Promise<Result> {
  const logger = await openLogger(io);
  const looked = loadsTools ? await lookAtTools(io, options) : {};
  const machine: MachineInspector = { examine: () => examineHere(io, options) };
  const engine = createEngine({ logger, ...looked, administration: { machine } });
  try {
    return await use((name, input) => engine.operate(cliPrincipal(io, true), name, input));
  } finally {
    await engine.close();
  }
}

/** Every tool that there is, hidden ones too. */
async function lookAtTools(io: Io, options: CommonOptions): Promise<Pick<EngineOptions, "tools" | "capabilities">> {
  const { capabilitiesToLook, loadDefinitions } = await import("@toolwright/server/policy-file");
  const tools = [...(await loadDefinitions(readSettings(options, io), io)).values()];
  return { tools, capabilities: capabilitiesToLook(tools) };
}

async function examineHere(io: Io, options: CommonOptions) {
  const logger = await openLogger(io);
  const { examineMachine, openMachine } = await import("@toolwright/server/machine");
  const machine = openMachine(io, logger);
  const settings = () => readSettings(options, io);
  let opened: Promise<Maintenance> | undefined;
  const open = async (read: Settings) => {
    const { openStateMaintenance } = await import("@toolwright/server/store");
    opened ??= openStateMaintenance(read, { command: "doctor" }, logger);
    return opened;
  };
  const whyNoVectors = async () => {
    const read = settings();
    return read.databaseUrl === undefined ? undefined : (await open(read)).whyNoVectors();
  };
  const examineStore = async () => {
    const read = settings();
    if (read.databaseUrl === undefined && !existsSync(join(read.state, "store"))) return undefined;
    return (await open(read)).examine();
  };
  try {
    return await examineMachine({ machine, io, settings, whyNoVectors, examineStore });
  } finally {
    await opened?.then(
      (store) => store.close(),
      () => {},
    );
    await machine.close();
  }
}
