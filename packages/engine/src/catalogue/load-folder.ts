import { ToolwrightError } from "../contract/errors.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import type { LeftOut, ModuleSource } from "../ports/module-source.ts";
import type { Catalogue } from "./catalogue.ts";
import type { CompiledTool } from "./compile-tool.ts";

/** A file that was refused; the others stay. */
export type LoadProblem = LeftOut;

export interface LoadReport {
  readonly loaded: readonly string[];
  readonly problems: readonly LoadProblem[];
}

/** Milliseconds after which a file that waits for something no longer holds up the next. */
const patienceMs = 500;

/** Loads every tool file of a source into the catalogue, replacing what that source gave before. */
export async function loadFolder(catalogue: Catalogue, source: ModuleSource, clock: Clock = systemClock): Promise<LoadReport> {
  const problems: LoadProblem[] = [];
  const tools = new Map<string, CompiledTool>();
  const fromHere = (tool: CompiledTool) => tool.origin.kind === "pack" && tool.origin.source.startsWith(`${source.name}/`);
  for (const [file, loading] of await startLoading(catalogue, source, clock)) {
    const outcome = await loading;
    if ("message" in outcome) problems.push(outcome);
    else if (isTaken(catalogue, tools, { tool: outcome, fromHere })) problems.push(takenProblem(catalogue, tools, { tool: outcome, file }));
    else tools.set(outcome.name, outcome);
  }
  problems.push(...(source.leftOut?.() ?? []));
  catalogue.replace([...tools.values()], fromHere);
  return { loaded: [...tools.keys()].sort(), problems };
}

type Outcome = CompiledTool | LoadProblem;

/** One after the other, as far as none of them waits long. */
async function startLoading(catalogue: Catalogue, source: ModuleSource, clock: Clock): Promise<ReadonlyMap<string, Promise<Outcome>>> {
  const loads = new Map<string, Promise<Outcome>>();
  for (const file of await source.list()) {
    const loading = loadFile(catalogue, source, file);
    loads.set(file, loading);
    let stopTimer = () => {};
    const waitedLong = new Promise<void>((resolve) => {
      stopTimer = clock.after(patienceMs, resolve, { keepAlive: true });
    });
    await Promise.race([loading, waitedLong]);
    stopTimer();
  }
  return loads;
}

async function loadFile(catalogue: Catalogue, source: ModuleSource, file: string): Promise<Outcome> {
  try {
    const { default: definition, code } = await source.load(file);
    return catalogue.compile(definition, { kind: "pack", source: `${source.name}/${file}` }, code);
  } catch (error) {
    const place = `${source.name}/${file}`;
    if (ToolwrightError.is(error))
      return { file, code: error.code, message: error.message.startsWith(place) ? error.message : `${place}: ${error.message}` };
    const message = error instanceof Error ? error.message : String(error);
    return { file, code: "load_failed", message: `${place}: could not be imported: ${message}` };
  }
}

function isTaken(
  catalogue: Catalogue,
  loaded: ReadonlyMap<string, CompiledTool>,
  { tool, fromHere }: { readonly tool: CompiledTool; readonly fromHere: (tool: CompiledTool) => boolean },
): boolean {
  const existing = catalogue.snapshot.find(tool.name);
  return loaded.has(tool.name) || (existing !== undefined && !fromHere(existing));
}

function takenProblem(
  catalogue: Catalogue,
  loaded: ReadonlyMap<string, CompiledTool>,
  { tool, file }: { tool: CompiledTool; file: string },
): LoadProblem {
  const other = loaded.get(tool.name) ?? catalogue.snapshot.find(tool.name);
  return {
    file,
    code: "duplicate_tool",
    message: `${tool.origin.source}: the name "${tool.name}" is taken by ${other?.origin.source}. Rename one of them.`,
  };
}
