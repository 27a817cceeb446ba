import type { TurnRecord } from "@toolwright/engine/ports";
import type { AgentProfile } from "./agent/agent-profile.ts";
import type { ChildHearers, SpentOn, TurnMeter } from "./turn/turn-parts.ts";

/** A turn that this process runs, with the sub-agents that run in its calls. */
export class RunningTurn {
  readonly turn: TurnRecord;
  readonly profile: AgentProfile;
  /** The call that runs it is alive. */
  readonly alive: () => void;
  /** One begins after the other, so that each is counted before the next one is. */
  readonly beginning = new Slots(1);
  /** Who hears which sub-agent a call of the turn began or goes on with, by the key of the call. */
  readonly hearers: ChildHearers = new Map();
  readonly meter: TurnMeter = { add: undefined };
  readonly #slots: Slots;
  readonly #children: Promise<unknown>[] = [];

  constructor(turn: TurnRecord, profile: AgentProfile, alive: () => void) {
    this.turn = turn;
    this.profile = profile;
    this.alive = alive;
    this.#slots = new Slots(profile.limits.subAgentsAtOnce);
  }

  /** Runs one that the turn waits for. */
  runChild<Result>(work: () => Promise<Result>): Promise<Result> {
    const child = this.inSlot(work);
    this.#children.push(child);
    return child;
  }

  /** As soon as few enough run. */
  async inSlot<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.#slots.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves when none runs any more: true where there were some. */
  async childrenEnd(): Promise<boolean> {
    await Promise.allSettled(this.#children);
    return this.#children.length > 0;
  }
}

interface Place {
  readonly tenant: string;
  /** The conversation of the turn, in which its calls are made. */
  readonly session: string;
}

const keyOf = ({ tenant, session }: Place) => JSON.stringify([tenant, session]);

/** Turns that this process runs, by the session of their calls. */
export class RunningTurns {
  readonly #turns = new Map<string, RunningTurn>();

  find(place: Place): RunningTurn | undefined {
    return this.#turns.get(keyOf(place));
  }

  /** Counts what a call in a session took of a model against the turn that runs there, whose budget its sub-agents share. */
  spend(place: Place, usage: SpentOn): void {
    this.find(place)?.meter.add?.(usage);
  }

  async during<Result>(running: RunningTurn, run: () => Promise<Result>): Promise<Result> {
    const { tenant, conversation: session } = running.turn;
    const key = keyOf({ tenant, session });
    this.#turns.set(key, running);
    try {
      return await run();
    } finally {
      if (this.#turns.get(key) === running) this.#turns.delete(key);
    }
  }
}

/** Lets so many in at once; the others wait. */
class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  /** Resolves to what lets the next one in. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }
}
