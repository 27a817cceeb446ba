import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { aiSDKDoor, type DoorAdapter, type DoorReport, describeDoors, doorConformance, isAISDKInstalled } from "@toolwright/doors/testing";
import { type AnyTool, createEngine, isToolDefinition } from "@toolwright/engine";
import type { LoadProblem } from "@toolwright/engine/catalogue";
import { createMemorySecretStore, type ModuleSource, silentLogger } from "@toolwright/engine/ports";
import { type ConformanceOutcome, runCases, type ToolSubject, toolConformance } from "@toolwright/engine/testing";
import { filesCapability } from "@toolwright/sandbox";
import { machineCapabilities, openScratchEngines } from "@toolwright/server/machine";
import { count } from "@toolwright/server/text";
import { createFolderSource, isToolFile, openToolFolder } from "@toolwright/server/tool-folder";
import { builtinTools } from "@toolwright/tools";
import { CliError } from "../../cli-error.ts";
import { cliDoors, servedFormDoor, servedRestDoor } from "../../doors/cli-doors.ts";
import { exitCodes } from "../../exit-code.ts";
import type { CommandIo, Io } from "../../io.ts";
import { shellWord } from "../../output/shell-word.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";

interface Report {
  readonly files: readonly string[];
  /** Files that would be refused, with the rule and what to do. */
  readonly problems: readonly LoadProblem[];
  readonly outcomes: readonly ConformanceOutcome[];
  readonly doors?: DoorReport;
}

const marks = { passed: "ok      ", failed: "FAILED  ", skipped: "skipped " };

export interface TestOptions extends CommonOptions {
  /** Also compares the doors. */
  readonly doors?: boolean;
}

/** Loads a folder as a server would, and holds each tool against the rules for all tools. */
export async function test(io: CommandIo, options: TestOptions, [given]: readonly string[]): Promise<number> {
  const named = (given ?? options.tools ?? io.env.TOOLWRIGHT_TOOLS) || undefined;
  const place = resolve(io.cwd, named ?? "tools");
  const source = named === undefined ? await openToolFolder(readSettings(options, io), io) : openNamed(place);
  const { definitions, ...checked } = await checkFolder(source ?? createFolderSource(place), io);
  const compared = options.doors && definitions.length > 0 ? await compareDoors(definitions, io) : undefined;
  const report: Report = { ...checked, ...(compared && { doors: compared }) };
  if (report.files.length + report.problems.length === 0)
    throw new CliError(
      `There is no *.tool.ts in ${place}. Write one with: toolwright new tool word_count --tools ${shellWord(relative(io.cwd, place) || ".")}`,
    );
  const differ = compared ? compared.lists.length + compared.cells.filter(({ differences }) => differences.length > 0).length : 0;
  const failed = report.problems.length + report.outcomes.filter(({ status }) => status === "failed").length + differ;
  io.out(options.json ? `${JSON.stringify(report, null, 2)}\n` : describe(report, failed));
  return failed === 0 ? exitCodes.done : exitCodes.failed;
}

/** A folder with all its tools, or one file of it. */
function openNamed(place: string): ModuleSource {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) throw new CliError(`There is no folder or file ${place}. Check the name.`);
  if (found.isDirectory()) return createFolderSource(place);
  const file = basename(place);
  if (!isToolFile(file))
    throw new CliError(`${place} is not a tool file. Name it ${file.replace(/(\.tool)?\.[^.]*$/, "")}.tool.ts, or name a folder.`);
  const folder = createFolderSource(dirname(place));
  return { ...folder, name: place, list: async () => (await folder.list()).filter((each) => each === file), leftOut: () => [] };
}

async function checkFolder(source: ModuleSource, io: Io): Promise<Report & { readonly definitions: readonly AnyTool[] }> {
  const environment = new Set(Object.keys(io.env));
  const engine = createEngine({ tools: builtinTools, capabilities: capabilitiesOfServers(), environment });
  const files = await source.list();
  const { problems } = await engine.load(source);
  const refused = new Set(problems.map(({ file }) => file));
  const subjects: ToolSubject[] = [];
  for (const file of files) if (!refused.has(file)) subjects.push({ source: file, definition: (await source.load(file)).default });
  const definitions = subjects.flatMap(({ definition }) => (isToolDefinition(definition) ? [definition] : []));
  return { files, problems, outcomes: await runInEmptyWorkspace(subjects), definitions };
}

/** Those that a server gives, as far as it takes to know their names: nothing is called. */
function capabilitiesOfServers() {
  const machine = { drivers: [], look: async () => [] };
  return machineCapabilities({ machine, workspaceOf: tmpdir, secrets: createMemorySecretStore(), logger: silentLogger });
}

/** Examples of tools that only read meet an empty workspace: they may fail in their own words, not by a defect. */
async function runInEmptyWorkspace(subjects: readonly ToolSubject[]): Promise<readonly ConformanceOutcome[]> {
  const workspace = await mkdtemp(join(tmpdir(), "toolwright-check-"));
  try {
    return await runCases(toolConformance(subjects, { capabilities: [filesCapability({ workspaceOf: () => workspace })] }));
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

/** Tools that change something do not run: nobody said that they may. */
async function compareDoors(tools: readonly AnyTool[], io: CommandIo): Promise<DoorReport> {
  const engines = await openScratchEngines(io, silentLogger);
  try {
    return await doorConformance({ tools, engine: engines.make, doors: await findDoors(io) });
  } finally {
    await engines.close();
  }
}

/** Those beside the doors of MCP and REST in this process. */
async function findDoors(io: CommandIo): Promise<readonly DoorAdapter[]> {
  const doors = [servedRestDoor, servedFormDoor, ...cliDoors(io.runProgram)];
  if (await isAISDKInstalled()) return [...doors, aiSDKDoor];
  io.err(`${aiSDKDoor.name} is left out: the package "ai" is not installed beside toolwright.\n`);
  return doors;
}

function describe({ files, problems, outcomes, doors }: Report, failed: number): string {
  const lines = [
    ...problems.map(({ code, message }) => `FAILED  ${message} (${code})`),
    ...outcomes.map(({ status, name, message }) => `${marks[status]}${name}${message ? `\n        ${message}` : ""}`),
  ];
  const skipped = outcomes.filter(({ status }) => status === "skipped").length;
  const matrix = doors ? `\n${describeDoors(doors)}` : "";
  return `${lines.join("\n")}\n${matrix}\n${count(files.length, "file")}, ${count(outcomes.length + problems.length, "check")}: ${failed} failed, ${skipped} skipped.\n`;
}
