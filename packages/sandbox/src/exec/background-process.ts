import { type Anomaly, ToolwrightError } from "@toolwright/engine";
import type { ProcessExit, ProcessInfo } from "@toolwright/engine/ports";
import type { OutputBuffer } from "./output-buffer.ts";
import type { Owner } from "./process-owner.ts";
import type { WatchedProcess } from "./watch-metadata.ts";

export interface BackgroundFacts {
  readonly id: string;
  readonly owner: Owner;
  readonly command: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A process that outlives the call which started it. */
export class BackgroundProcess {
  readonly facts: BackgroundFacts;
  readonly output: OutputBuffer;
  /** Settles when the process has ended and its last output is in the buffer. */
  readonly ended: Promise<void>;
  readonly #handle: WatchedProcess;
  #exit: ProcessExit | undefined;
  #anomalies: readonly Anomaly[] = [];
  #inputEnded = false;

  constructor(facts: BackgroundFacts, handle: WatchedProcess, output: OutputBuffer, { takesInput = true } = {}) {
    this.facts = facts;
    this.#inputEnded = !takesInput;
    this.output = output;
    this.#handle = handle;
    this.ended = handle.exited.then(({ exit, anomalies }) => {
      this.#exit = exit;
      this.#anomalies = [...this.#anomalies, ...anomalies];
      output.end();
    });
  }

  get running(): boolean {
    return this.#exit === undefined;
  }

  get anomalies(): readonly Anomaly[] {
    return this.#anomalies;
  }

  /** Compares git metadata while the process lives; what is found is among its anomalies from then on. */
  async checkMetadata(): Promise<void> {
    if (!this.running) return;
    const found = await this.#handle.checkMetadata();
    this.#anomalies = [...this.#anomalies, ...found];
  }

  info(): ProcessInfo {
    const { id, command, startedAt } = this.facts;
    const common = { id, command, startedAt, posture: this.#handle.posture };
    return this.#exit ? { ...common, state: "exited", exit: this.#exit } : { ...common, state: "running" };
  }

  /** Resolves when the process took the data, or cannot any more because it or the call ended. */
  async write(data: string, options: { readonly end: boolean; readonly signal: AbortSignal }): Promise<void> {
    if (!this.running || this.#inputEnded) throw this.#takesNoInput();
    if (options.end) this.#inputEnded = true;
    const aborted = Promise.withResolvers<void>();
    options.signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    const written = data === "" ? undefined : this.#handle.write(data);
    await Promise.race([written?.catch(() => Promise.reject(this.#takesNoInput())), this.ended, aborted.promise]);
    if (options.end) this.#handle.endInput();
  }

  kill(): Promise<void> {
    if (this.running) this.#handle.kill("stopped");
    return this.ended;
  }

  #takesNoInput(): ToolwrightError {
    const why = this.running ? "its input is closed" : "it has ended";
    return new ToolwrightError("process_not_found", `Process ${this.facts.id} takes no input: ${why}. Start it again if you need it.`);
  }
}
