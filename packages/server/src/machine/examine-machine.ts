import { existsSync } from "node:fs";
import { join } from "node:path";
import { compilePolicy } from "@toolwright/engine/policy";
import type { MachineCheck, MachineReport } from "@toolwright/engine/ports";
import { readClockGap, type Store, type StoreFindings } from "@toolwright/postgres";
import type { ServerIo } from "../io.ts";
import { readPolicy } from "../policy-file/read-policy.ts";
import type { Settings } from "../settings.ts";
import { version } from "../version.ts";
import { checkBrowser } from "./browser-sandbox.ts";
import { findProgram } from "./find-program.ts";
import type { Machine } from "./machine.ts";
import type { ProbedDriver } from "./machine-facts.ts";

interface Examined {
  readonly machine: Machine;
  readonly io: ServerIo;
  /** May throw: settings that cannot be read are a finding. */
  readonly settings: () => Settings;
  /** Where it is open. */
  readonly store?: Pick<Store, "memories" | "registry" | "examine">;
  /** Why the database keeps no vectors; asked where somebody wants them. Default: what the open store says. */
  readonly whyNoVectors?: () => Promise<string | undefined>;
  /** What there is to look after in the store; undefined where there is none of this version. Default: what the open store says. */
  readonly examineStore?: () => Promise<StoreFindings | undefined>;
}

/** What this machine can give, and what of it is wrong. */
export async function examineMachine({ machine, io, settings, store, ...more }: Examined): Promise<MachineReport> {
  const drivers = await machine.look();
  const { whyNoVectors = async () => store?.memories.vectors.unavailable(), examineStore = async () => store?.examine() } = more;
  const read = settingsIfReadable(settings);
  const checks = [
    ...[
      ...drivers.map(checkDriver),
      await checkSearch(io),
      await checkBrowser(io.env),
      await checkPolicy(io, settings),
      checkStore(settings, store?.registry.trouble),
    ],
    ...(read ? [...(await checkVectors(read, whyNoVectors)), ...(await checkFindings(examineStore))] : []),
  ];
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    checks,
    runtimes: drivers.map(({ driver, probe }) => ({ name: driver.name, ...driver.traits, ...probe })),
  };
}

function checkDriver({ driver, probe }: ProbedDriver): MachineCheck {
  const { isolation } = driver.traits;
  const detail = `${isolation === "none" ? "no isolation" : `isolation by ${isolation}`}. ${probe.detail}`;
  return {
    name: `driver ${driver.name}`,
    state: probe.available ? "ok" : "missing",
    detail,
    ...(probe.remedy && { remedy: probe.remedy }),
  };
}

async function checkSearch({ env }: ServerIo): Promise<MachineCheck> {
  const path = await findProgram("rg", env);
  if (path) return { name: "ripgrep", state: "ok", detail: path };
  return { name: "ripgrep", state: "missing", detail: "Searching in files is refused without it.", remedy: "apt-get install ripgrep" };
}

/** What the store can promise; it is not opened. */
function checkStore(settings: () => Settings, trouble: string | undefined): MachineCheck {
  try {
    const { databaseUrl, state } = settings();
    if (trouble !== undefined) return { name: "store", state: "broken", detail: trouble };
    const detail =
      databaseUrl === undefined
        ? `embedded in ${state}. It survives the end of any process, but not a loss of power, and is for one machine; DATABASE_URL names a server that does more. ${describeClock(state)}`
        : "a PostgreSQL server; look at it with: toolwright db status";
    return { name: "store", state: "ok", detail };
  } catch (error) {
    return { name: "store", state: "broken", detail: error instanceof Error ? error.message : String(error) };
  }
}

/** Nothing where nobody asks for vectors. */
async function checkVectors(
  { databaseUrl, memoryEmbedder, knowledgeEmbedder }: Settings,
  whyNoVectors: () => Promise<string | undefined>,
): Promise<readonly MachineCheck[]> {
  const wanted = [...(memoryEmbedder ? ["memories"] : []), ...(knowledgeEmbedder ? ["documents"] : [])];
  if (wanted.length === 0) return [];
  const what = `Found by meaning: ${wanted.join(", ")}.`;
  try {
    const unavailable = await whyNoVectors();
    if (unavailable !== undefined)
      return [{ name: "vectors", state: "missing", detail: `${what} ${unavailable}`, remedy: "CREATE EXTENSION vector;" }];
    const where =
      databaseUrl !== undefined
        ? "The PostgreSQL server has the extension that it takes; toolwright db vectors makes indexes"
        : "The embedded database has the extension that it takes";
    return [{ name: "vectors", state: "ok", detail: `${what} ${where}` }];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [
      { name: "vectors", state: "missing", detail: `${what} The database could not be asked for the extension that it takes: ${why}` },
    ];
  }
}

/** Undefined for settings that cannot be read; the check of the store reports those. */
function settingsIfReadable(settings: () => Settings): Settings | undefined {
  try {
    return settings();
  } catch {
    return undefined;
  }
}

/** Nothing where there is nothing to look after. */
async function checkFindings(examineStore: () => Promise<StoreFindings | undefined>): Promise<readonly MachineCheck[]> {
  try {
    const found = await examineStore();
    return found ? [...checkSessions(found), ...checkSchedules(found), ...checkWords(found)] : [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const remedy = "open the store again, and look at it with: toolwright db status";
    return [
      { name: "sessions", state: "missing", detail: `Sessions without an owner could not be counted: ${why}`, remedy },
      { name: "schedules", state: "missing", detail: `Schedules in unknown time zones could not be looked for: ${why}`, remedy },
      { name: "words", state: "missing", detail: `Texts whose words are to be made anew could not be counted: ${why}`, remedy },
    ];
  }
}

function checkSessions({ ownerless: count }: StoreFindings): readonly MachineCheck[] {
  if (count === 0) return [];
  const which = count === 1 ? "1 session has no owner" : `${count} sessions have no owner`;
  const detail = `${which}, as an older version wrote no owner. Only people with the permission sessions:manage see ${count === 1 ? "it" : "them"}.`;
  const remedy =
    "find them with: toolwright sessions list --ownerless; give one to a person with: toolwright sessions share ID --with USER";
  return [{ name: "sessions", state: "missing", detail, remedy }];
}

function checkSchedules({ unknownZones }: StoreFindings): readonly MachineCheck[] {
  if (unknownZones.length === 0) return [];
  const detail = `Schedules wait, as this machine does not know their time zones: ${unknownZones.map((zone) => JSON.stringify(zone)).join(", ")}.`;
  const remedy =
    "use a version of Node that knows them, or make the schedules again in other zones; find them with: toolwright schedule list";
  return [{ name: "schedules", state: "missing", detail, remedy }];
}

/** While there are some, searches find by words only what is done. */
function checkWords({ words: { outdated, total } }: StoreFindings): readonly MachineCheck[] {
  if (outdated === 0) return [];
  const detail = `The words of ${outdated} of ${total} passages of documents and memories were made by another major of PostgreSQL, so searches may miss them.`;
  const remedy = "keep a server running, which makes them anew; look again with: toolwright doctor";
  return [{ name: "words", state: "missing", detail, remedy }];
}

/** The embedded store counts on by the machine's uptime where its clock was set. */
function describeClock(state: string): string {
  const gap = readClockGap(join(state, "store"));
  if (!gap) return "It keeps its own time when the clock of this machine is set; sign-ins of people go by the machine's";
  return `The clock of this machine is ${Math.abs(Math.round(gap / 1_000))} s ${gap > 0 ? "ahead of" : "behind"} its own time, which approaches it; sign-ins of people go by the machine's`;
}

async function checkPolicy(io: ServerIo, settings: () => Settings): Promise<MachineCheck> {
  try {
    const read = settings();
    const { roots = [] } = compilePolicy((await readPolicy(read, io)).tiers).paths;
    const file = read.policyFile ?? "the built-in default";
    const opened = roots.map(({ path, access }) => `${JSON.stringify(path)} for ${access === "read" ? "reading" : "reading and writing"}`);
    const detail = opened.length === 0 ? file : `${file}; it opens ${opened.join(", ")} beside the workspace`;
    const gone = roots.filter(({ path }) => !existsSync(path)).map(({ path }) => JSON.stringify(path));
    if (gone.length === 0) return { name: "policy", state: "ok", detail };
    const remedy = "make the folder, or take it out of paths.roots";
    return { name: "policy", state: "missing", detail: `${detail}. There is no folder ${gone.join(", ")}`, remedy };
  } catch (error) {
    return { name: "policy", state: "broken", detail: error instanceof Error ? error.message : String(error) };
  }
}
