import { join } from "node:path";
import type { ResourceLimits } from "@toolwright/engine/ports";
import { readClockGap } from "@toolwright/postgres";
import { findProgram, openMachine, type ProbedDriver } from "@toolwright/server/machine";
import { readPolicy } from "@toolwright/server/policy-file";
import { openLogger } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import { version } from "../../version.ts";

/** One thing that was looked at. */
interface Check {
  readonly name: string;
  readonly state: "ok" | "missing" | "broken";
  readonly detail: string;
  readonly remedy?: string;
}

const limitNames: readonly (keyof ResourceLimits)[] = ["memoryMb", "cpuPercent", "processes", "fileSizeMb", "openFiles", "writtenMb"];

/** Says what this machine can give. Exit code 0 when commands can be sandboxed, 69 when not, 1 when something is broken. */
export async function doctor(io: Io, options: CommonOptions): Promise<number> {
  const machine = openMachine(io, await openLogger(io));
  const drivers = await machine.look();
  try {
    const checks = [...drivers.map(checkDriver), await checkSearch(io), await checkPolicy(io, options), checkStore(io, options)];
    if (options.json)
      io.out(`${JSON.stringify({ version, node: process.versions.node, checks, runtimes: drivers.map(toJson) }, null, 2)}\n`);
    else io.out(`${describe(checks, drivers)}\n`);
    if (checks.some((check) => check.state === "broken")) return exitCodes.failed;
    return drivers.some(isSandbox) ? exitCodes.done : exitCodes.unavailable;
  } finally {
    await machine.close();
  }
}

const isSandbox = ({ driver, probe }: ProbedDriver) => probe.available && driver.traits.isolation !== "none";

function checkDriver({ driver, probe }: ProbedDriver): Check {
  const { isolation } = driver.traits;
  const detail = `${isolation === "none" ? "no isolation" : `isolation by ${isolation}`}. ${probe.detail}`;
  return {
    name: `driver ${driver.name}`,
    state: probe.available ? "ok" : "missing",
    detail,
    ...(probe.remedy && { remedy: probe.remedy }),
  };
}

async function checkSearch(io: Io): Promise<Check> {
  const path = await findProgram("rg", io.env);
  if (path) return { name: "ripgrep", state: "ok", detail: path };
  return { name: "ripgrep", state: "missing", detail: "Searching in files is refused without it.", remedy: "apt-get install ripgrep" };
}

/** What the store can promise; it is not opened. */
function checkStore(io: Io, options: CommonOptions): Check {
  try {
    const { databaseUrl, state } = readSettings(options, io);
    const detail =
      databaseUrl === undefined
        ? `embedded in ${state}. It survives the end of any process, but not a loss of power, and is for one machine; DATABASE_URL names a server that does more. ${describeClock(state)}`
        : "a PostgreSQL server; look at it with: toolwright db status";
    return { name: "store", state: "ok", detail };
  } catch (error) {
    return { name: "store", state: "broken", detail: error instanceof Error ? error.message : String(error) };
  }
}

/** The embedded store counts on by the machine's uptime where its clock was set. */
function describeClock(state: string): string {
  const gap = readClockGap(join(state, "store"));
  if (!gap) return "It keeps its own time when the clock of this machine is set; sign-ins of people go by the machine's";
  return `The clock of this machine is ${Math.abs(Math.round(gap / 1_000))} s ${gap > 0 ? "ahead of" : "behind"} its own time, which approaches it; sign-ins of people go by the machine's`;
}

async function checkPolicy(io: Io, options: CommonOptions): Promise<Check> {
  try {
    const settings = readSettings(options, io);
    await readPolicy(settings, io);
    return { name: "policy", state: "ok", detail: settings.policyFile ?? "the built-in default" };
  } catch (error) {
    return { name: "policy", state: "broken", detail: error instanceof Error ? error.message : String(error) };
  }
}

function describe(checks: readonly Check[], drivers: readonly ProbedDriver[]): string {
  const lines = checks.flatMap(({ name, state, detail, remedy }) => [
    `${state.padEnd(8)} ${name}: ${detail}`,
    ...(remedy ? [`         remedy: ${remedy}`] : []),
  ]);
  const strongest = drivers.find(isSandbox);
  return [
    `toolwright ${version} on Node ${process.versions.node}, ${process.platform} ${process.arch}`,
    "",
    ...lines,
    "",
    ...describeLimits(strongest),
  ].join("\n");
}

function describeLimits(strongest: ProbedDriver | undefined): string[] {
  if (!strongest)
    return [
      "Commands are refused: there is no sandbox, and nothing weaker is taken in its place.",
      "File tools work: they are confined in the process itself.",
    ];
  const { limits, defaults = {}, gaps = [] } = strongest.probe;
  const unless = (name: keyof ResourceLimits) => (defaults[name] === undefined ? "" : `, ${defaults[name]} where the policy names none`);
  return [
    `Commands run in ${strongest.driver.name}. Limits of all that runs in one workspace at a time, and how this machine enforces them:`,
    ...limitNames.map((name) => {
      const how = limits[name] ?? "cannot be enforced on this machine: a policy that demands it is refused";
      return `  ${name.padEnd(12)} ${how}${unless(name)}`;
    }),
    ...gaps.map((gap) => `missing  ${gap}`),
  ];
}

function toJson({ driver, probe }: ProbedDriver) {
  return { name: driver.name, ...driver.traits, ...probe };
}
