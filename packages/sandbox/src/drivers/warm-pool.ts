import type { Clock } from "@toolwright/engine/ports";
import { relayScript } from "../egress/relay-loopback.ts";
import type { ManagedProcess } from "../process/supervise.ts";
import type { PreparedSpec } from "./prepare-spec.ts";

interface Startable {
  readonly process: ManagedProcess;
}

interface Waiting<Sandbox> {
  readonly sandbox: Sandbox;
  readonly key: string;
  readonly stopTimer: () => void;
}

interface WarmPoolOptions {
  readonly clock: Clock;
  /** Sandboxes that wait at the same time, over all keys; 0 starts none ahead. */
  readonly size: number;
  /** Milliseconds after which one that nobody took is ended. */
  readonly idleMs: number;
}

/** Milliseconds after a start in which the machine is left to the command before the next sandbox is made. */
const refillDelayMs = 150;
/** Milliseconds after an end in which it is left to the answer: making a sandbox takes this process about two. */
const answerMs = 5;

/** Sandboxes that wait for their one command. Each is used once: nothing of a command is there for the next. */
export class WarmPool<Sandbox extends Startable> {
  readonly #options: WarmPoolOptions;
  readonly #waiting = new Set<Waiting<Sandbox>>();
  #closed = false;

  constructor(options: WarmPoolOptions) {
    this.#options = options;
  }

  /** A waiting sandbox of that key, or a new one. Another is made in the background when this one has ended, or soon. */
  take(key: string, make: () => Sandbox): Sandbox {
    const found = this.#find(key);
    const taken = found ?? make();
    taken.process.setIdle(false);
    const refillOnce = once(() => this.#refill(key, make));
    void taken.process.ended.then(() => this.#options.clock.after(answerMs, refillOnce));
    this.#options.clock.after(refillDelayMs, refillOnce);
    return taken;
  }

  #find(key: string): Sandbox | undefined {
    for (const waiting of this.#waiting) {
      if (waiting.key !== key || !waiting.sandbox.process.alive) continue;
      this.#forget(waiting);
      return waiting.sandbox;
    }
    return undefined;
  }

  #forget(waiting: Waiting<Sandbox>): void {
    waiting.stopTimer();
    this.#waiting.delete(waiting);
  }

  #refill(key: string, make: () => Sandbox): void {
    const { size, clock, idleMs } = this.#options;
    if (this.#closed || size === 0 || [...this.#waiting].some((waiting) => waiting.key === key)) return;
    const [oldest] = this.#waiting;
    if (oldest !== undefined && this.#waiting.size >= size) this.#discard(oldest);
    const sandbox = attempt(make);
    if (sandbox === undefined) return;
    sandbox.process.setIdle(true);
    const waiting: Waiting<Sandbox> = { sandbox, key, stopTimer: clock.after(idleMs, () => this.#discard(waiting)) };
    this.#waiting.add(waiting);
    void sandbox.process.ended.then(() => this.#forget(waiting));
  }

  #discard(waiting: Waiting<Sandbox>): void {
    this.#forget(waiting);
    waiting.sandbox.process.signal("SIGKILL");
  }

  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting) this.#discard(waiting);
  }
}

/** What cannot be made ahead is made, or refused, when it is asked for. */
function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

function once(callback: () => void): () => void {
  let called = false;
  return () => {
    if (!called) callback();
    called = true;
  };
}

interface WaitingOptions {
  readonly processLimit: number | undefined;
  readonly hasRelay: boolean;
  /** True where the script is the first process of the sandbox and nobody else stands in for it. */
  readonly staysFirst?: boolean;
}

/**
 * Waits inside the sandbox for its one command on descriptor 3: workdir, number of variables, variables, words, each ended by NUL.
 * Nothing of it is ever read as shell text. The script's arguments are those of the relay, when there is one.
 */
export function waitingScript({ processLimit, hasRelay, staysFirst = false }: WaitingOptions): string {
  // The first process of a pid namespace is deaf to signals that it does not handle, so the command must be another one.
  const run = staysFirst ? `(exec -- "\${parts[@]:count+2}"); exit $?` : `exec -- "\${parts[@]:count+2}"`;
  return `${hasRelay ? relayScript : ""}printf r >&3
mapfile -d '' -t -u 3 parts
exec 3>&-
test "\${#parts[@]}" -gt 2 || exit 125
${processLimit === undefined ? "" : `ulimit -u ${Math.floor(processLimit)} || exit 125`}
cd -- "\${parts[0]}" || exit 126
unset OLDPWD
count=\${parts[1]}
for ((i = 2; i < count + 2; i++)); do export "\${parts[i]}"; done
${run}`;
}

/** The message for a sandbox that waits for its command. */
export function encodeCommand({ workdir, env, baseEnv, argv }: PreparedSpec): Buffer {
  const own = Object.entries(env).filter(([name, value]) => baseEnv[name] !== value);
  const variables = own.map(([name, value]) => `${name}=${value}`);
  return Buffer.from(`${[workdir, variables.length, ...variables, ...argv].join("\0")}\0`);
}
