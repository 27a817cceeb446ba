import type { Clock } from "@toolwright/engine/ports";
import type { LaunchEnd, LaunchRequest } from "./launch-request.ts";
import type { Launched, Spawner } from "./spawner.ts";

type OutputListener = (stream: "stdout" | "stderr", chunk: Buffer) => void;

/** Why a process did not come to run. */
export interface StartProblem {
  /** In our words. */
  readonly why: string;
  /** What it printed, or what the system said; for the operator alone. */
  readonly said: string;
  readonly exitCode: number | null;
}

/** One process of the spawner, with its output kept back until somebody listens. */
export class ManagedProcess {
  readonly #launched: Launched;
  readonly #clock: Clock;
  readonly #kept: { readonly stream: "stdout" | "stderr"; readonly chunk: Buffer; readonly taken: () => void }[] = [];
  readonly #ready = Promise.withResolvers<boolean>();
  readonly #ended = Promise.withResolvers<LaunchEnd>();
  #listener: OutputListener | undefined;
  /** False once the process is known to have ended. */
  alive = true;

  constructor(spawner: Spawner, request: LaunchRequest, clock: Clock) {
    this.#clock = clock;
    this.#launched = spawner.launch(request, {
      ready: () => this.#ready.resolve(true),
      output: (stream, chunk, taken) => this.#output(stream, chunk, taken),
      ended: (end) => {
        this.alive = false;
        this.#ready.resolve(false);
        this.#ended.resolve(end);
      },
    });
  }

  /** False when it ended before it was ready. */
  get ready(): Promise<boolean> {
    return this.#ready.promise;
  }

  get ended(): Promise<LaunchEnd> {
    return this.#ended.promise;
  }

  #output(stream: "stdout" | "stderr", chunk: Buffer, taken: () => void): void {
    if (this.#listener === undefined) {
      this.#kept.push({ stream, chunk, taken });
      return;
    }
    this.#listener(stream, chunk);
    taken();
  }

  onOutput(listener: OutputListener): void {
    this.#listener = listener;
    for (const { stream, chunk, taken } of this.#kept.splice(0)) this.#output(stream, chunk, taken);
  }

  /** Resolves with undefined when the process runs, or with the reason why it does not. */
  async waitUntilReady(limitMs: number): Promise<StartProblem | undefined> {
    let late = false;
    const stopTimer = this.#clock.after(limitMs, () => {
      late = true;
      this.signal("SIGKILL");
    });
    const ready = await this.#ready.promise;
    stopTimer();
    if (ready) return undefined;
    const { problem, kind, exitCode } = await this.ended;
    const printed = Buffer.concat(this.#kept.map(({ chunk }) => chunk))
      .toString()
      .trim()
      .slice(-2000);
    const why =
      kind === "lost" ? "lost the process that starts others" : late ? `was not ready within ${limitMs} ms` : "could not be started";
    return { why, said: problem ?? printed, exitCode };
  }

  write(data: string | Uint8Array): Promise<void> {
    return this.#launched.write(typeof data === "string" ? Buffer.from(data) : data);
  }

  endInput(): void {
    this.#launched.endInput();
  }

  command(data: Uint8Array): void {
    this.#launched.command(data);
  }

  signal(name: "SIGTERM" | "SIGKILL"): void {
    this.#launched.signal(name);
  }

  setIdle(idle: boolean): void {
    this.#launched.setIdle(idle);
  }
}
