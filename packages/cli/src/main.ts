import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { exitCodes } from "./exit-code.ts";
import type { Io, LiveConsole } from "./io.ts";
import { runProgram } from "./program.ts";
import type { OpenedStdio } from "./stdio/open-stdio.ts";
import { readInput, readText } from "./stdio/read-stdin.ts";

/** What was begun before the program was loaded. */
export interface Begun {
  /** The connection at stdin, where one is open already. */
  readonly opened?: OpenedStdio | undefined;
  /** All that came on stdin, where it was read already. */
  readonly stdin?: Buffer | undefined;
  /** Pages that are worked on, in the place of those that were built. */
  readonly live?: LiveConsole | undefined;
}

/** Runs one command line in this process, and ends it with the command's exit code. */
export async function start(argv: readonly string[], { opened, stdin, live }: Begun = {}): Promise<void> {
  process.stdout.on("error", endUnwritten);
  // Where even this cannot be written, nobody can be told.
  process.stderr.on("error", () => process.exit(exitCodes.failed));
  // A promise alone keeps no process alive, and a pending call may be nothing else.
  const keptAlive = setInterval(() => {}, 60_000);
  const code = await runProgram(argv, {
    ...createProcessIo(abortOnSignals()),
    ...(opened && { opened }),
    ...(live && { live }),
    ...(stdin && { readStdin: async () => readText(stdin) }),
  });
  clearInterval(keptAlive);
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  process.exit(code);
}

/** Quietly when whoever read our output has had enough: `toolwright list | head -1`. Otherwise the output is not whole, and that is said. */
function endUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exitCodes.done);
  process.stderr.write(`The output could not be written, so it is not whole: ${error.message}\n`);
  process.exit(exitCodes.failed);
}

let ending: NodeJS.Timeout | undefined;

/** Nobody waits for what is left then: a call whose end is not in the log ends there as unknown. The last one counts. */
function endWithin(ms: number, code: number): void {
  clearTimeout(ending);
  ending = setTimeout(() => {
    process.stderr.write(
      "Something did not end in time. This process ends without it; calls whose end is not in the log end there as unknown.\n",
    );
    process.exit(code);
  }, ms);
}

/** Milliseconds that a command has after a signal, where it does not say otherwise. */
const mostAfterSignalMs = 2_500;

/** The first signal asks the command to end, the second ends the process. A lost parent counts as a signal. */
function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (signal: string, code: number) => {
    if (controller.signal.aborted) process.exit(128 + code);
    endWithin(mostAfterSignalMs, 128 + code);
    controller.abort(new Error(`Stopped by ${signal}.`));
  };
  process.on("SIGINT", () => onSignal("SIGINT", 2));
  process.on("SIGTERM", () => onSignal("SIGTERM", 15));
  process.on("SIGHUP", () => onSignal("SIGHUP", 1));
  process.on("disconnect", () => onSignal("the end of its parent", 1));
  process.channel?.unref();
  watchParent(() => onSignal("the end of its parent", 1));
  return controller.signal;
}

/** npm does not pass signals on to what it runs. Under it, to lose the parent is to be told to stop. */
function watchParent(onLost: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onLost();
  }, 300);
  timer.unref();
}

function createProcessIo(signal: AbortSignal): Io {
  return {
    env: process.env,
    cwd: process.cwd(),
    out: (words) => void process.stdout.write(words),
    outBytes: (bytes) => new Promise((resolve) => process.stdout.write(bytes, () => resolve())),
    err: (words) => void process.stderr.write(words),
    readStdin: () => readInput(process.stdin),
    inputEnded: () => new Promise((resolve) => process.stdin.once("end", resolve).once("close", resolve).once("error", resolve)),
    endWithin: (ms) => endWithin(ms, exitCodes.done),
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.columns ?? 120,
    signal,
    standBack,
    ask: (question, { hidden = false } = {}) => (hidden ? askHidden(question, signal) : askOn(process.stderr, question, signal)),
  };
}

/** Somewhat behind, and not behind all: on a busy machine it would never end. */
function standBack(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A system that does not allow it.
  }
}

async function askOn(output: NodeJS.WritableStream, question: string, signal: AbortSignal): Promise<string | undefined> {
  const prompt = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true });
  const ended = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
  try {
    return await Promise.race([prompt.question(question, { signal }).catch(() => undefined), ended]);
  } finally {
    prompt.close();
  }
}

/** The terminal echoes nothing while the prompt reads it key by key, and what the prompt would show goes nowhere. */
async function askHidden(question: string, signal: AbortSignal): Promise<string | undefined> {
  process.stderr.write(question);
  const answer = await askOn(new Writable({ write: (_chunk, _encoding, done) => done() }), "", signal);
  process.stderr.write("\n");
  return answer;
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
