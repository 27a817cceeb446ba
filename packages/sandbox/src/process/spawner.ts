import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname, extname } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { createFrameReader, encodeFrame, encodeJsonFrame, type Frame, frameType } from "./frame.ts";
import { withDescriptors } from "./inherited-descriptors.ts";
import { endWithout, type LaunchEnd, type LaunchRequest } from "./launch-request.ts";

/** *Contract:* none of these may throw. `ended` comes once and last. */
interface LaunchListener {
  ready(): void;
  /** Call `taken` when the bytes have been dealt with: the program waits when too many are on the way. */
  output(stream: "stdout" | "stderr", chunk: Buffer, taken: () => void): void;
  ended(end: LaunchEnd): void;
}

/** A process that the spawner started, or is about to. */
export interface Launched {
  /** Resolves when the pipe has taken it, also when the process does not read any more. */
  write(data: Uint8Array): Promise<void>;
  endInput(): void;
  /** The one message on file descriptor 3. */
  command(data: Uint8Array): void;
  signal(name: "SIGTERM" | "SIGKILL"): void;
  /** An idle run does not keep this process alive. */
  setIdle(idle: boolean): void;
}

interface SpawnerOptions {
  /** What starts the spawner, in front of Node and its script. */
  readonly prefix?: readonly string[];
  /** Called for each run that was there when the spawner died. */
  readonly onLost?: (request: LaunchRequest) => Promise<void>;
}

interface Run {
  readonly request: LaunchRequest;
  readonly listener: LaunchListener;
  readonly pendingWrites: (() => void)[];
  idle: boolean;
}

interface Connection {
  readonly child: ChildProcess;
  readonly channel: Duplex & { ref(): void; unref(): void };
  readonly runs: Map<number, Run>;
}

const inputPieceBytes = 64 * 1024;
/** Longer than the groups of a run and of its scope take to become empty. */
const closeMs = 20_000;

/** A small process that forks, because a fork blocks its parent for a time that grows with the parent's memory. Started with the first launch, and again after it died. */
export class Spawner {
  readonly #options: SpawnerOptions;
  #connection: Connection | undefined;
  #nextRun = 1;
  /** What dead spawners left, being cleared away. */
  readonly #clearing = new Set<Promise<void>>();

  constructor(options: SpawnerOptions = {}) {
    this.#options = options;
  }

  /** Process id of the running spawner, for tests and diagnostics. */
  get pid(): number | undefined {
    return this.#connection?.child.pid;
  }

  launch(request: LaunchRequest, listener: LaunchListener): Launched {
    this.#connection ??= this.#connect();
    const connection = this.#connection;
    const id = this.#nextRun++ % 0xffffffff;
    const run: Run = { request, listener, pendingWrites: [], idle: false };
    connection.runs.set(id, run);
    holdOpen(connection);
    const send = (frame: Buffer) => {
      if (connection.runs.has(id)) connection.channel.write(frame);
    };
    send(encodeJsonFrame(frameType.launch, id, request));
    return {
      write: (data) => writeInput(connection, { id, run, send }, data),
      endInput: () => send(encodeFrame(frameType.endInput, id)),
      command: (data) => send(encodeFrame(frameType.control, id, data)),
      signal: (name) => send(encodeFrame(frameType.signal, id, Buffer.from(name))),
      setIdle: (idle) => {
        run.idle = idle;
        holdOpen(connection);
      },
    };
  }

  #connect(): Connection {
    const script = fileURLToPath(new URL(`./spawner-main${extname(import.meta.url)}`, import.meta.url));
    const argv = [...(this.#options.prefix ?? []), process.execPath, "--max-semi-space-size=1", script];
    // Nothing of the server's environment reaches a run, and in a session of its own no signal to the server's group takes the spawner along.
    const child = withDescriptors(["ignore", "ignore", "ignore", "pipe"], (stdio) =>
      spawn(argv[0]!, argv.slice(1), { cwd: "/", env: compileCache(), detached: true, stdio }),
    );
    const channel = child.stdio[3] as unknown as Connection["channel"];
    const connection: Connection = { child, channel, runs: new Map() };
    const lose = () => this.#lose(connection);
    channel.on(
      "data",
      createFrameReader((frame) => dispatch(connection, frame)),
    );
    channel.on("error", lose);
    channel.on("close", lose);
    child.on("error", lose);
    child.unref();
    return connection;
  }

  #lose(connection: Connection): void {
    if (this.#connection === connection) this.#connection = undefined;
    const lost = [...connection.runs.values()];
    connection.runs.clear();
    connection.channel.destroy();
    for (const run of lost) {
      this.#clear(run.request);
      settle(run, { ...endWithout, kind: "lost" });
    }
  }

  #clear(request: LaunchRequest): void {
    const clearing = this.#options.onLost?.(request);
    if (clearing === undefined) return;
    this.#clearing.add(clearing);
    void clearing.finally(() => this.#clearing.delete(clearing));
  }

  /** Ends every run and the spawner. Resolves when nothing is left of what was started. */
  async close(): Promise<void> {
    if (this.#connection) await this.#end(this.#connection);
    await Promise.all(this.#clearing);
  }

  async #end(connection: Connection): Promise<void> {
    const { child, channel } = connection;
    if (child.exitCode !== null || child.signalCode !== null) {
      this.#lose(connection);
      return;
    }
    child.ref();
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const timer = setTimeout(() => child.kill("SIGKILL"), closeMs);
    channel.end();
    await exited;
    clearTimeout(timer);
    this.#lose(connection);
  }
}

/** Where this process keeps compiled code, which makes the start three times as cheap. */
function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

function holdOpen({ channel, runs }: Connection): void {
  if ([...runs.values()].some(({ idle }) => !idle)) channel.ref();
  else channel.unref();
}

function settle(run: Run, end: LaunchEnd): void {
  for (const resolve of run.pendingWrites.splice(0)) resolve();
  run.listener.ended(end);
}

function dispatch(connection: Connection, { type, run: id, payload }: Frame): void {
  const run = connection.runs.get(id);
  if (run === undefined) return;
  if (type === frameType.ready) run.listener.ready();
  else if (type === frameType.inputTaken) run.pendingWrites.shift()?.();
  else if (type === frameType.ended) {
    connection.runs.delete(id);
    holdOpen(connection);
    settle(run, JSON.parse(payload.toString()) as LaunchEnd);
  } else if (type === frameType.stdout || type === frameType.stderr) {
    const stream = type === frameType.stdout ? "stdout" : "stderr";
    run.listener.output(stream, payload, () => giveCredit(connection, id, payload.length));
  }
}

function giveCredit({ channel, runs }: Connection, id: number, bytes: number): void {
  if (!runs.has(id)) return;
  const payload = Buffer.alloc(4);
  payload.writeUInt32LE(bytes);
  channel.write(encodeFrame(frameType.credit, id, payload));
}

async function writeInput(
  { runs }: Connection,
  { id, run, send }: { readonly id: number; readonly run: Run; readonly send: (frame: Buffer) => void },
  data: Uint8Array,
): Promise<void> {
  for (let offset = 0; offset < data.length && runs.has(id); offset += inputPieceBytes) {
    const taken = new Promise<void>((resolve) => run.pendingWrites.push(resolve));
    send(encodeFrame(frameType.input, id, data.subarray(offset, offset + inputPieceBytes)));
    await taken;
  }
}
