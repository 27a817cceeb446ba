import { type Anomaly, type CallSite, ToolwrightError } from "@toolwright/engine";
import type { Clock, ProcessExit, ProcessInfo } from "@toolwright/engine/ports";
import type { WatchedProcess } from "../git-metadata/guard-metadata.ts";
import type { OutputBuffer } from "./capture-output.ts";

export interface ProcessLimits {
  /** Running at once for one owner in one session. */
  readonly maxRunningPerSession: number;
  /** Running at once for one tenant. */
  readonly maxRunningPerTenant: number;
  /** Ended ones that can still be read, for one owner in one session. */
  readonly maxEndedPerSession: number;
  /** Milliseconds that an ended one can still be read. */
  readonly keepEndedMs: number;
}

/** All background processes of this server. Ids of other owners and unknown ids answer alike. */
export class ProcessRegistry {
  readonly #clock: Clock;
  readonly #limits: ProcessLimits;
  readonly #processes = new Map<string, BackgroundProcess>();
  readonly #reserved = new Map<string, number>();
  #closed = false;

  constructor(clock: Clock, limits: ProcessLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Takes a place before anything is awaited, so that parallel starts cannot exceed the limits. Returns what gives it back, once. */
  reserve(owner: Owner): () => void {
    if (this.#closed) throw new ToolwrightError("spawn_failed", "The server is shutting down, so no process was started.");
    this.#demandRoom(owner.key, this.#limits.maxRunningPerSession, "this session");
    this.#demandRoom(owner.tenantKey, this.#limits.maxRunningPerTenant, "this tenant");
    this.#count(owner, 1);
    let held = true;
    return () => {
      if (held) this.#count(owner, -1);
      held = false;
    };
  }

  /** Holds a process until some time after its end. */
  async add(process: BackgroundProcess): Promise<void> {
    const { id, owner } = process.facts;
    this.#processes.set(id, process);
    process.ended.then(() => {
      this.#clock.after(this.#limits.keepEndedMs, () => this.#processes.delete(id));
      const ended = this.listOf(owner).filter(({ running }) => !running);
      for (const old of ended.slice(0, Math.max(0, ended.length - this.#limits.maxEndedPerSession))) this.#processes.delete(old.facts.id);
    });
    if (this.#closed) await process.kill();
  }

  find(owner: Owner, id: string): BackgroundProcess {
    const process = this.#processes.get(id);
    if (process?.facts.owner.key === owner.key) return process;
    throw new ToolwrightError("process_not_found", `No process "${id}" belongs to this session. List the processes to see those that do.`);
  }

  /** Oldest first. */
  listOf(owner: Owner): BackgroundProcess[] {
    return [...this.#processes.values()].filter(({ facts }) => facts.owner.key === owner.key);
  }

  async endSession(tenant: string, session: string): Promise<void> {
    await this.#end(({ facts: { owner } }) => owner.tenant === tenant && owner.session === session);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end(() => true);
  }

  async #end(concerned: (process: BackgroundProcess) => boolean): Promise<void> {
    const processes = [...this.#processes.values()].filter(concerned);
    await Promise.all(processes.map((process) => process.kill()));
    for (const { facts } of processes) this.#processes.delete(facts.id);
  }

  #demandRoom(key: string, limit: number, where: string): void {
    if ((this.#reserved.get(key) ?? 0) < limit) return;
    throw new ToolwrightError("rate_limited", `${limit} background processes already run in ${where}. Stop one before you start another.`);
  }

  #count({ key, tenantKey }: Owner, step: 1 | -1): void {
    for (const counted of [key, tenantKey]) {
      const count = (this.#reserved.get(counted) ?? 0) + step;
      if (count > 0) this.#reserved.set(counted, count);
      else this.#reserved.delete(counted);
    }
  }
}

interface BackgroundFacts {
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

  /** Hosts that it was connected to so far; undefined where nobody counts them. */
  reached(): readonly string[] | undefined {
    return this.#handle.reached?.();
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

/** Whom a background process belongs to: an agent, or else who asked, with one API key or with none, in one session of one tenant. */
interface Owner {
  readonly tenant: string;
  readonly session: string;
  /** Equal for equal owners only, and never equal to a tenant's. */
  readonly key: string;
  readonly tenantKey: string;
}

export function ownerOf({ principal, session }: CallSite): Owner {
  const { tenant, agent, actor, key = null } = principal;
  const who = agent === undefined ? [actor.kind, actor.id] : [agent];
  // A person's key may do less than the person.
  return { tenant, session, key: JSON.stringify([tenant, session, key, ...who]), tenantKey: JSON.stringify([tenant]) };
}
