import type { Clock } from "../../ports/clock.ts";
import { toPointer } from "../../schema/json-pointer.ts";
import type { Call } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { noteEvent } from "../record-events.ts";

/** Milliseconds that a run gets to clean up after its signal; capabilities kill process trees in this time. */
const grace = 5_000;

/** Made once: most of what an error costs is where it was made. */
const ended = new Error("The call has ended.");

export type StopReason = "timeout" | "idle_timeout" | "cancelled";

export type RunOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "stopped"; readonly reason: StopReason; readonly ignoredSignal: boolean; readonly error?: unknown };

interface RunLimits {
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly idleMs: number | undefined;
}

/** Watches one run: total and idle time, and the caller's signal. A run that ignores its signal is left behind after a grace. */
export class RunSupervisor {
  readonly #clock: Clock;
  readonly #limits: RunLimits;
  #controller: AbortController | undefined;
  #stopped: StopReason | undefined;
  #lastSign = 0;
  #onStop: ((reason: StopReason) => void) | undefined;

  constructor(clock: Clock, limits: RunLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Made when it is first asked for: most pure tools never look at it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped) this.#controller.abort(new Error(this.#stopped));
    return this.#controller.signal;
  }

  /** A sign of life: restarts the idle limit. */
  alive(): void {
    if (this.#limits.idleMs !== undefined) this.#lastSign = this.#clock.monotonic();
  }

  /** Ends what still listens to the signal. */
  finish(): void {
    this.#controller?.abort(ended);
  }

  /** The outcome itself when the run ends at once: what awaits nothing costs nothing. */
  run(start: () => unknown, external: AbortSignal | undefined): RunOutcome | Promise<RunOutcome> {
    if (external?.aborted) return { kind: "stopped", reason: "cancelled", ignoredSignal: false };
    let started: unknown;
    try {
      started = start();
    } catch (error) {
      return { kind: "threw", error };
    }
    if (!isThenable(started)) return { kind: "returned", value: started };
    return this.#watch(Promise.resolve(started), external);
  }

  #watch(running: Promise<unknown>, external: AbortSignal | undefined): Promise<RunOutcome> {
    this.alive();
    return new Promise((resolve) => {
      const cancel = () => this.#stop("cancelled");
      external?.addEventListener("abort", cancel, { once: true });
      let cancelTimer = this.#armTimer();
      const settle = (outcome: RunOutcome) => {
        cancelTimer();
        external?.removeEventListener("abort", cancel);
        resolve(this.#stopped ? whenStopped(outcome, this.#stopped) : outcome);
      };
      this.#onStop = (reason) => {
        cancelTimer();
        cancelTimer = this.#clock.after(grace, () => settle({ kind: "stopped", reason, ignoredSignal: true }), { keepAlive: true });
      };
      running.then(
        (value) => settle({ kind: "returned", value }),
        (error: unknown) => settle({ kind: "threw", error }),
      );
      // Aborted while the run started, when nobody listened yet.
      if (external?.aborted) cancel();
    });
  }

  /** One timer for both limits: it looks at the last sign when it fires instead of being re-armed at each sign. */
  #armTimer(): () => void {
    const startedAt = this.#clock.monotonic();
    let cancelled = false;
    let cancelCurrent = () => {};
    const arm = () => {
      const total = startedAt + this.#limits.timeoutMs - this.#clock.monotonic();
      const idle =
        this.#limits.idleMs === undefined ? Number.POSITIVE_INFINITY : this.#lastSign + this.#limits.idleMs - this.#clock.monotonic();
      if (total <= 0) return this.#stop("timeout");
      if (idle <= 0) return this.#stop("idle_timeout");
      cancelCurrent = this.#clock.after(Math.min(total, idle), () => !cancelled && arm(), { keepAlive: true });
    };
    arm();
    return () => {
      cancelled = true;
      cancelCurrent();
    };
  }

  #stop(reason: StopReason): void {
    if (this.#stopped) return;
    this.#stopped = reason;
    this.#controller?.abort(new Error(reason));
    this.#onStop?.(reason);
  }
}

/** What a stopped run still threw is kept: it may say that a request had been sent. */
function whenStopped(outcome: RunOutcome, reason: StopReason): RunOutcome {
  if (outcome.kind === "stopped") return outcome;
  return { kind: "stopped", reason, ignoredSignal: false, ...(outcome.kind === "threw" && { error: outcome.error }) };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Characters of a call's streamed output that the log holds. */
const loggedOutput = 65_536;

/** Hands streamed output to whoever follows the call and, up to a bound, to the log; redacted, and saying what it leaves out. */
export class OutputFollower {
  readonly #call: Call;
  readonly #parts: GateParts;
  #streams: Map<string, ReturnType<Call["redactor"]["stream"]>> | undefined;
  #logged = 0;
  #unlogged = 0;

  /** False where a member of the output that is sensitive is shown while the tool runs: nobody knows which part of the text it is. */
  readonly #isLogged: boolean;

  constructor(call: Call, parts: GateParts) {
    this.#call = call;
    this.#parts = parts;
    const { output, definition } = call.tool ?? {};
    this.#isLogged = !output?.sensitive || !definition?.streamed?.some((name) => output.sensitive?.covers(toPointer([name])));
  }

  append(stream: string, chunk: string): void {
    this.#streams ??= new Map();
    let redacting = this.#streams.get(stream);
    if (!redacting) {
      redacting = this.#call.redactor.stream();
      this.#streams.set(stream, redacting);
    }
    this.#emit(stream, redacting.push(chunk));
  }

  finish(): void {
    if (!this.#streams) return;
    for (const [stream, redacting] of this.#streams) this.#emit(stream, redacting.flush());
    if (this.#unlogged > 0) noteEvent(this.#call, "tool.output_appended", { omittedCharacters: this.#unlogged }, this.#parts);
  }

  #emit(stream: string, text: string): void {
    if (text === "") return;
    this.#call.hasStreamed = true;
    this.#call.options.onOutput?.(text);
    const room = this.#isLogged ? Math.max(0, loggedOutput - this.#logged) : 0;
    const logged = text.slice(0, room);
    this.#logged += logged.length;
    this.#unlogged += text.length - logged.length;
    if (logged !== "") noteEvent(this.#call, "tool.output_appended", { stream, text: logged }, this.#parts);
  }
}
