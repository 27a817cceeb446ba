import { existsSync, readFileSync } from "node:fs";
import { type Files, protectionOf, ToolwrightError } from "@toolwright/engine";
import type { Anchoring } from "../files/anchor.ts";
import { filesCapability } from "../files/files-capability.ts";
import type { FileStep } from "../files/workspace.ts";
import { allowed, createCallSite } from "./call-site.ts";
import { closeStage, openStage, type PathStage, type PathStep, perform, place } from "./path-stage.ts";

/** One line of the path corpus. */
export interface PathCase {
  readonly id: string;
  readonly cat: string;
  readonly setup: readonly PathStep[];
  readonly op: string;
  readonly path: unknown;
  readonly arg?: string;
  readonly expect: "allow" | "deny" | "error";
  readonly why: string;
  /** Done between check and use. */
  readonly race?: readonly PathStep[];
  /** What must be true on disk afterwards. */
  readonly after?: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
}

export interface PathVerdict {
  readonly id: string;
  readonly pass: boolean;
  /** What happened, and what should have. */
  readonly detail: string;
}

/** Longest time in milliseconds that any case may take (R-FS-3). */
const mostMs = 1000;
/** Races are tried at each of the first moments of an operation; a case without a race runs once. */
const moments = 12;

/**
 * Runs one case of the path corpus through the files capability on a real disk, in a folder of its own that is removed.
 * A race is run once for each moment of the operation at which it can strike. Throws for a step or operation that it does not know.
 */
export async function judgePathCase(one: PathCase, options: { readonly anchoring?: Anchoring } = {}): Promise<PathVerdict> {
  const strikes = one.race ? Array.from({ length: moments }, (_, index) => index) : [-1];
  for (const strike of strikes) {
    const problem = await runCase(one, { ...options, strike });
    if (problem) return { id: one.id, pass: false, detail: `${problem}; expected ${one.expect}: ${one.why}` };
  }
  return { id: one.id, pass: true, detail: one.expect };
}

type Ending = { readonly kind: "succeeded"; readonly text: string } | { readonly kind: "refused"; readonly error: ToolwrightError };

async function runCase(one: PathCase, options: { readonly anchoring?: Anchoring; readonly strike: number }): Promise<string | undefined> {
  const stage = openStage();
  try {
    for (const step of one.setup) await perform(stage, step);
    const kept = one.after?.unchanged && readFileSync(place(stage, one.after.unchanged), "utf8");
    let struck = false;
    const strike = () => {
      struck = true;
      for (const step of one.race ?? []) perform(stage, step);
    };
    let step = 0;
    const started = performance.now();
    const ending = await operate(stage, one, { anchoring: options.anchoring, onStep: () => void (step++ === options.strike && strike()) });
    const took = performance.now() - started;
    if (took > mostMs) return `It took ${Math.round(took)} ms`;
    return judgeDisk(stage, one, kept) ?? judgeEnding(stage, one, { ending, strict: !one.race || (struck && options.strike === 0) });
  } finally {
    closeStage(stage);
  }
}

interface Operation {
  readonly anchoring: Anchoring | undefined;
  readonly onStep: (step: FileStep) => void;
}

async function operate(stage: PathStage, one: PathCase, { anchoring, onStep }: Operation): Promise<Ending> {
  const root = one.op === "root" ? place(stage, one.arg!) : place(stage, "$W");
  const capability = filesCapability({ workspaceOf: () => root, onStep, ...(anchoring && { anchoring }) });
  const site = createCallSite({
    // As the default policy: what is protected has to be asked for.
    judge: (reach) => ({
      ...allowed,
      effect: reach.kind === "path" && protectionOf(reach.path, reach.access) !== "none" ? "ask" : "allow",
    }),
  });
  const files = capability.open("write", site) as Files;
  const path = (typeof one.path === "string" ? place(stage, one.path) : one.path) as string;
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    read: async () => (await files.readLines(path)).text,
    write: () => files.write(path, "written"),
    list: () => files.list(path),
    stat: () => files.stat(path),
    delete: () => files.delete(path),
    "delete-tree": () => files.delete(path, { recursive: true }),
    edit: async () => files.write(path, `${(await files.readLines(path)).text}more`),
    copy: async () => files.write(place(stage, one.arg!), await files.readBytes(path)),
    move: async () => {
      await files.write(place(stage, one.arg!), await files.readBytes(path));
      await files.delete(path);
    },
    root: () => files.list(path),
  };
  // No tool can make links at all.
  if (one.op === "make-symlink" || one.op === "make-hardlink")
    return { kind: "refused", error: new ToolwrightError("path_refused", "There is no such operation.") };
  if (!Object.hasOwn(operations, one.op)) throw new Error(`The corpus has an operation that is not known here: ${one.op}`);
  try {
    return { kind: "succeeded", text: JSON.stringify((await operations[one.op]!()) ?? null) };
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
    return { kind: "refused", error };
  }
}

function judgeDisk(stage: PathStage, { after = {} }: PathCase, kept: string | undefined): string | undefined {
  for (const [rule, operand] of Object.entries(after)) {
    const path = place(stage, operand);
    if (rule === "unchanged" && readFileSync(path, "utf8") !== kept) return `${operand} was changed`;
    if (rule === "absent" && existsSync(path)) return `${operand} was created`;
    if (rule === "present" && !existsSync(path)) return `${operand} is not there`;
    if (!["unchanged", "absent", "present"].includes(rule)) throw new Error(`The corpus has an after-rule that is not known here: ${rule}`);
  }
  return undefined;
}

const refusals: ReadonlySet<string> = new Set(["path_refused", "not_a_file", "file_too_large"]);

interface Judged {
  readonly ending: Ending;
  /** False when a race came too late to matter: then the ending is free, but nothing from outside may be in it. */
  readonly strict: boolean;
}

function judgeEnding({ base }: PathStage, one: PathCase, { ending, strict }: Judged): string | undefined {
  if (ending.kind === "refused") {
    const { error } = ending;
    if (`${error.message} ${JSON.stringify(error.details)} ${error.cause}`.includes(base))
      return "The error holds a path of the host (R-FS-6)";
    if (one.expect === "allow" && !one.tags.includes("either")) return `It was refused: ${error.message}`;
    const isRefusal = refusals.has(error.code) || one.tags.includes("literal") || one.tags.includes("either") || !strict;
    return one.expect === "deny" && !isRefusal ? `It ended with ${error.code}: ${error.message}` : undefined;
  }
  if (ending.text.includes("outside")) return "It gave content from outside";
  return one.expect === "allow" || one.tags.includes("either") || !strict ? undefined : `It succeeded with ${ending.text}`;
}
