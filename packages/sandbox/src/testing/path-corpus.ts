import { protectionOf } from "@toolwright/commands/targets";
import { type Files, ToolwrightError } from "@toolwright/engine";
import type { Anchoring } from "../files/anchor.ts";
import { filesCapability } from "../files/files-capability.ts";
import type { FileStep } from "../files/workspace.ts";
import { allowed, createCallSite } from "./call-site.ts";
import { requireKnownFields } from "./known-fields.ts";
import { type Aftermath, watchDisk } from "./path-aftermath.ts";
import { operationOf } from "./path-operations.ts";
import { closeStage, expandStage, openStage, type PathStage, type PathStep, perform } from "./path-stage.ts";

/** One line of the path corpus. */
export interface PathCase {
  readonly id: string;
  readonly cat: string;
  readonly setup: readonly PathStep[];
  readonly op: string;
  readonly path: unknown;
  readonly arg?: string;
  /** What `write` writes. */
  readonly content?: string;
  readonly expect: "allow" | "deny" | "error";
  readonly why: string;
  /** Done between check and use. */
  readonly race?: readonly PathStep[];
  /** What must be true on disk afterwards, and with `no_output` the texts that the result must not hold. */
  readonly after?: Aftermath;
  readonly tags: readonly string[];
}

export interface PathVerdict {
  readonly id: string;
  readonly pass: boolean;
  /** What happened, and what should have. */
  readonly detail: string;
}

export interface PathJudging {
  readonly anchoring?: Anchoring;
  /** Longest time in milliseconds that the operation may take (R-FS-3). Default 1000. */
  readonly mostMs?: number;
  /** Other files than the capability's own, e.g. tools behind a gate; they must throw errors of ours. */
  readonly open?: (root: string, onStep: (step: FileStep) => void) => Files;
}

/** Races are tried at each of the first moments of an operation; a case without a race runs once. */
const moments = 12;

/**
 * Runs one case of the path corpus through the files capability on a real disk, in a folder of its own that is removed.
 * A race is run once for each moment of the operation at which it can strike. Throws for a step or operation that it does not know.
 */
export async function judgePathCase(one: PathCase, options: PathJudging = {}): Promise<PathVerdict> {
  requireKnownFields(one, ["setup", "op", "path", "arg", "content", "race", "after"]);
  const strikes = one.race ? Array.from({ length: moments }, (_, index) => index) : [-1];
  for (const strike of strikes) {
    const problem = await runCase(one, { ...options, strike });
    if (problem) return { id: one.id, pass: false, detail: `${problem}; expected ${one.expect}: ${one.why}` };
  }
  return { id: one.id, pass: true, detail: one.expect };
}

type Ending =
  | { readonly kind: "succeeded"; readonly text: string; readonly raw?: string }
  | { readonly kind: "refused"; readonly error: ToolwrightError };

async function runCase(one: PathCase, options: PathJudging & { readonly strike: number }): Promise<string | undefined> {
  const stage = openStage();
  try {
    for (const step of one.setup) await perform(stage, step);
    const { no_output: _, ...disk } = one.after ?? {};
    const findDamage = watchDisk(stage, disk);
    const race = prepareRace(stage, one, options.strike);
    const started = performance.now();
    const root = expandStage(stage, one.op === "root" ? one.arg! : "$W");
    const ending = await operate(stage, one, (options.open ?? openFiles)(root, race.onStep, options.anchoring));
    const took = performance.now() - started;
    if (race.failure) throw race.failure;
    if (took > (options.mostMs ?? 1000)) return `It took ${Math.round(took)} ms`;
    return findDamage() ?? findLeak(stage, one, ending) ?? judgeEnding(stage, one, { ending, strict: options.strike <= 0 });
  } finally {
    closeStage(stage);
  }
}

function prepareRace(stage: PathStage, { race = [] }: PathCase, strike: number): { failure?: unknown; readonly onStep: () => void } {
  let step = 0;
  const state: { failure?: unknown; readonly onStep: () => void } = {
    onStep() {
      if (step++ !== strike) return;
      try {
        for (const action of race) perform(stage, action);
      } catch (error) {
        // Later than at the first moment the operation itself may have left nothing to race with.
        if (strike === 0) state.failure = error;
      }
    },
  };
  return state;
}

function openFiles(root: string, onStep: (step: FileStep) => void, anchoring?: Anchoring): Files {
  const capability = filesCapability({ workspaceOf: () => root, onStep, ...(anchoring && { anchoring }) });
  const site = createCallSite({
    // As the default policy: what is protected has to be asked for.
    judge: (reach) => ({
      ...allowed,
      effect: reach.kind === "path" && protectionOf(reach.path, reach.access) !== "none" ? "ask" : "allow",
    }),
  });
  return capability.open("write", site) as Files;
}

async function operate(stage: PathStage, one: PathCase, files: Files): Promise<Ending> {
  const path = typeof one.path === "string" ? expandStage(stage, one.path) : one.path;
  const act = operationOf(one.op, { files, path: path as string, arg: expandStage(stage, one.arg ?? ""), content: one.content });
  try {
    const result = (await act()) ?? null;
    return { kind: "succeeded", text: JSON.stringify(result), ...(typeof result === "string" && { raw: result }) };
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
    return { kind: "refused", error };
  }
}

/** The result is what the operation gave, or all that its error says. */
function findLeak(stage: PathStage, { after }: PathCase, ending: Ending): string | undefined {
  const texts = after?.no_output === undefined ? [] : [after.no_output].flat();
  if (texts.includes("")) throw new Error("The after-rule no_output takes a text, or a list of texts, of at least one character.");
  const { text, raw = "" } = ending.kind === "succeeded" ? ending : { text: tellError(ending.error) };
  const found = texts.find((forbidden) =>
    [forbidden, expandStage(stage, forbidden)].some((each) => text.includes(each) || raw.includes(each)),
  );
  return found === undefined ? undefined : `Its result holds ${JSON.stringify(found)}`;
}

const tellError = ({ message, details, cause }: ToolwrightError) => `${message} ${JSON.stringify(details)} ${cause}`;

const refusals: ReadonlySet<string> = new Set(["path_refused", "not_a_file", "file_too_large"]);

interface Judged {
  readonly ending: Ending;
  /** False when a race came too late to matter: then the ending is free, but nothing from outside may be in it. */
  readonly strict: boolean;
}

function judgeEnding({ base }: PathStage, one: PathCase, { ending, strict }: Judged): string | undefined {
  if (ending.kind === "refused") {
    const { error } = ending;
    if (tellError(error).includes(base)) return "The error holds a path of the host (R-FS-6)";
    if (one.expect === "allow" && !one.tags.includes("either")) return `It was refused: ${error.message}`;
    const isRefusal = refusals.has(error.code) || one.tags.includes("literal") || one.tags.includes("either") || !strict;
    return one.expect === "deny" && !isRefusal ? `It ended with ${error.code}: ${error.message}` : undefined;
  }
  if (ending.text.includes("outside")) return "It gave content from outside";
  return one.expect === "allow" || one.tags.includes("either") || !strict ? undefined : `It succeeded with ${ending.text}`;
}
