import { existsSync } from "node:fs";
import { join } from "node:path";
import type { MachineDriver, MachineReport, ResourceLimits } from "@toolwright/engine/ports";
import type { Maintenance } from "@toolwright/postgres";
import { examineMachine, openMachine } from "@toolwright/server/machine";
import type { Settings } from "@toolwright/server/settings";
import { openLogger } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { readSettings } from "../../settings.ts";
import { operateRemotely, type RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

type Options = TenantOptions & Pick<RemoteOptions, "server">;

const limitNames: readonly (keyof ResourceLimits)[] = ["memoryMb", "cpuPercent", "processes", "fileSizeMb", "openFiles", "writtenMb"];

/** Says what a machine can give. Exit code 0 when commands can be sandboxed, 69 when not, 1 when something is broken. */
export async function doctor(io: Io, options: Options): Promise<number> {
  const report = await (options.server === undefined ? examineHere(io, options) : examineThere(io, options));
  io.out(`${options.json ? JSON.stringify(report, null, 2) : describe(report)}\n`);
  if (report.checks.some((check) => check.state === "broken")) return exitCodes.failed;
  return report.runtimes.some(isSandbox) ? exitCodes.done : exitCodes.unavailable;
}

/** Reports a store that cannot be opened as one check among the others. A store that does not exist is not made. */
async function examineHere(io: Io, options: Options): Promise<MachineReport> {
  const logger = await openLogger(io);
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

async function examineThere(io: Io, options: Options): Promise<MachineReport> {
  const operate = operateRemotely(io, options);
  return operate("doctor.check", {});
}

const isSandbox = ({ available, isolation }: MachineDriver) => available && isolation !== "none";

function describe({ version, node, platform, checks, runtimes }: MachineReport): string {
  const lines = checks.flatMap(({ name, state, detail, remedy }) => [
    `${state.padEnd(8)} ${name}: ${detail}`,
    ...(remedy ? [`         remedy: ${remedy}`] : []),
  ]);
  return [`toolwright ${version} on Node ${node}, ${platform}`, "", ...lines, "", ...describeLimits(runtimes.find(isSandbox))].join("\n");
}

function describeLimits(strongest: MachineDriver | undefined): string[] {
  if (!strongest)
    return [
      "Commands are refused: there is no sandbox, and nothing weaker is taken in its place.",
      "File tools work: they are confined in the process itself.",
    ];
  const { name: runtime, limits, defaults = {}, gaps = [] } = strongest;
  const unless = (name: keyof ResourceLimits) => (defaults[name] === undefined ? "" : `, ${defaults[name]} where the policy names none`);
  return [
    `Commands run in ${runtime}. Limits of all that runs in one workspace at a time, and how this machine enforces them:`,
    ...limitNames.map((name) => {
      const how = limits[name] ?? "cannot be enforced on this machine: a policy that demands it is refused";
      return `  ${name.padEnd(12)} ${how}${unless(name)}`;
    }),
    ...gaps.map((gap) => `missing  ${gap}`),
  ];
}
