import { CleanText } from "../exec/capture-output.ts";

const phases = new Set(["Receiving objects", "Resolving deltas", "Updating files"]);
const count = /^([A-Z][a-z]+ [a-z]+):\s+\d+% \((\d+)\/(\d+)\)/;
const keptLines = 20;
const keptLength = 500;

/** Reads what git says on standard error: counts go to whoever follows, and its own last words are kept. What the server says is left out. */
export class GitOutput {
  readonly #clean = new CleanText();
  readonly #onProgress: (done: number, total: number, phase: string) => void;
  #line = "";
  #words: string[] = [];
  /** Bytes so far. */
  bytes = 0;

  constructor(onProgress: (done: number, total: number, phase: string) => void) {
    this.#onProgress = onProgress;
  }

  push(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    const lines = (this.#line + this.#clean.push(chunk)).split("\n");
    // A line without an end must not grow for ever; nothing of git's own is that long.
    this.#line = (lines.pop() ?? "").slice(0, 65_536);
    for (const line of lines) this.#read(line);
  }

  /** What begins with `fatal`, `error` or `warning`, at most the last twenty lines. */
  words(...kinds: readonly ("fatal" | "error" | "warning")[]): string[] {
    this.#read(this.#line);
    this.#line = "";
    return this.#words.filter((line) => kinds.some((kind) => line.startsWith(`${kind}: `)));
  }

  #read(line: string): void {
    const [, phase = "", done, total] = count.exec(line) ?? [];
    if (phases.has(phase)) this.#onProgress(Number(done), Number(total), phase);
    else if (/^(?:fatal|error|warning): /.test(line)) this.#words = [...this.#words, line.slice(0, keptLength)].slice(-keptLines);
  }
}
