import { type AnyTool, type BaseContext, isToolDefinition, ToolwrightError } from "@toolwright/engine";
import { type CodeOwner, type Escape, runOwned } from "./code-owner.ts";
import { areSharedValuesKept, restoreSharedObjects } from "./shared-objects.ts";

/** Hears of what a file's code did to others. */
export interface ContainedFile {
  /** As people know it. */
  readonly file: string;
  /** The file's code harmed others, or tried to. */
  takeOut(what: string): void;
  /** The file's code or that of another one did. */
  suspect(what: string): void;
}

/** The tool of a file, each run of it owned: what escapes a run ends that run and takes the file out. Anything else comes back as it is. */
export function containTool(definition: unknown, file: ContainedFile): unknown {
  if (!isToolDefinition(definition)) return definition;
  const run = (input: never, ctx: BaseContext) =>
    new ContainedRun(definition.name, ctx, file).start(() => definition.run(input, ctx as never));
  // The catalogue tells tools apart by the text of their `run`.
  Object.defineProperty(run, "toString", { value: () => String(definition.run) });
  return Object.freeze({ ...definition, run }) as AnyTool;
}

/** One run of a tool, for as long as anything that it started is alive. */
class ContainedRun implements CodeOwner {
  readonly #tool: string;
  readonly #ctx: BaseContext;
  readonly #file: ContainedFile;
  #fail: ((error: Error) => void) | undefined;

  constructor(tool: string, ctx: BaseContext, file: ContainedFile) {
    this.#tool = tool;
    this.#ctx = ctx;
    this.#file = file;
  }

  start(run: () => unknown): unknown {
    const { returned, end } = runWatched(this.#file, () => runOwned(this, run));
    if (!isThenable(returned)) {
      end();
      return returned;
    }
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      // The promise is the tool's own: `then` may be its code too.
      runOwned(this, () => Promise.resolve(returned).then(resolve, reject));
    }).finally(end);
  }

  escaped({ what, error }: Escape): void {
    const { callId, log } = this.#ctx;
    const message = `Tool "${this.#tool}" failed: ${what}. It is taken out until its file changes. The operator's log has more under ${callId}.`;
    this.#fail?.(new ToolwrightError("tool_error", message));
    this.#file.takeOut(`${what} in ${callId}`);
    // When the call has ended: until then its caller hears too what a tool logs. The log of a call keeps its secrets out.
    setImmediate(() => log("error", `${this.#file.file}: ${what}: ${describeError(error)}`));
  }
}

export function describeError(error: unknown): string {
  return error instanceof Error ? String(error.stack ?? error.message) : String(error);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Milliseconds between two whole looks while tools run. */
const lookAgainMs = 100;

/** Files with runs under way, and how many. */
const active = new Map<ContainedFile, number>();
/** Files whose code ran since the last whole look. */
const recent = new Set<ContainedFile>();
let looking: NodeJS.Timeout | undefined;

/** Runs code of the file; `end` is for when it has ended whole, which for a promise is later. */
function runWatched<Result>(file: ContainedFile, work: () => Result): { readonly returned: Result; readonly end: () => void } {
  glanceAtShared(active.keys());
  active.set(file, (active.get(file) ?? 0) + 1);
  recent.add(file);
  looking ??= setInterval(lookAtShared, lookAgainMs).unref();
  const end = () => {
    glanceAtShared(active.keys());
    const left = (active.get(file) ?? 1) - 1;
    if (left > 0) active.set(file, left);
    else active.delete(file);
  };
  try {
    const returned = work();
    // Nobody else's code ran since the glance before.
    glanceAtShared([file]);
    return { returned, end };
  } catch (error) {
    glanceAtShared([file]);
    end();
    throw error;
  }
}

/** Contains asynchronous code of a tool file. */
export async function awaitWatched<Result>(file: ContainedFile, work: () => Promise<Result>): Promise<Result> {
  const { returned, end } = runWatched(file, work);
  return returned.finally(end);
}

function glanceAtShared(suspects: Iterable<ContainedFile>): void {
  if (!areSharedValuesKept()) putBack(new Set(suspects));
}

function lookAtShared(): void {
  putBack(new Set([...recent, ...active.keys()]));
  recent.clear();
  if (active.size > 0) return;
  clearInterval(looking);
  looking = undefined;
}

/** Undoes what some tool changed of what all share. A single suspect is taken out. */
function putBack(suspects: ReadonlySet<ContainedFile>): void {
  const changed = restoreSharedObjects();
  if (changed.length === 0) return;
  const what = `it changed ${changed.join(", ")}, which all tools share`;
  for (const file of suspects) suspects.size === 1 ? file.takeOut(what) : file.suspect(what);
}
