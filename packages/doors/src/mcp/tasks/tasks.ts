import type { CallResult, InvokeOptions, PendingResult, Scope } from "@toolwright/engine";
import type { Clock, FollowedCall, Ids } from "@toolwright/engine/ports";
import { DetachedCalls } from "../../detached-calls.ts";
import type { Owner } from "../../http/owners.ts";
import type { CallConversation, Round } from "../call/call-conversation.ts";

interface TasksOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Milliseconds that a call has to end before it becomes a task. */
  readonly afterMs: number;
  /** Calls that run as tasks in this process at one time; a tenant may have a quarter of them, one caller a sixteenth. */
  readonly max: number;
}

/** A task as its caller names it: whose it is, what it may see, and its id. */
export interface TaskRef {
  readonly owner: Owner;
  readonly scope: Scope;
  readonly id: string;
}

/** A task that goes on: the call as it waited, and the conversation in which its tool may ask. */
interface Resumed {
  readonly call: FollowedCall;
  readonly conversation: CallConversation;
  readonly options: InvokeOptions;
}

/**
 * Calls that their clients left as tasks. How they stand is in the store, under a key that is made of the caller and the id; here is only the way to
 * those that run in this process: to cancel them, and to hand over what their tools ask for.
 */
export class Tasks {
  readonly #options: TasksOptions;
  readonly #detached: DetachedCalls;
  readonly #running = new Map<string, CallConversation>();

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#detached = new DetachedCalls(options.max);
    this.#detached.signal.addEventListener("abort", () => {
      for (const conversation of this.#running.values()) conversation.end("The server is stopping.");
    });
  }

  /** The id of a call that runs and is not over in time; undefined for one that ends, asks or waits before. */
  whenLate(conversation: CallConversation, round: Promise<Round>): Promise<string | undefined> {
    const { clock, afterMs } = this.#options;
    return new Promise((resolve, reject) => {
      const stop = clock.after(afterMs, () => void conversation.begun.then(resolve), { keepAlive: true });
      const end = () => {
        stop();
        resolve(undefined);
      };
      round.then(end, reject);
    });
  }

  /** Makes a task of a call that runs: it does not end with its request any more. Undefined where no more calls can run on. */
  async leave(caller: Omit<TaskRef, "id">, conversation: CallConversation, callId: string): Promise<TaskRef | undefined> {
    if (this.#detached.refuse(caller.owner)) return undefined;
    const task = { ...caller, id: this.#options.ids.next("task") };
    const { kept } = await caller.scope.follow(keyOf(task), { callId, ending: conversation.ending });
    conversation.leave();
    this.#hold(task, conversation, kept);
    return task;
  }

  /** Makes a task of a call that waits for a person. */
  async wait(caller: Omit<TaskRef, "id">, ending: PendingResult): Promise<TaskRef> {
    const task = { ...caller, id: this.#options.ids.next("task") };
    await caller.scope.follow(keyOf(task), { callId: ending.callId, ending });
    return task;
  }

  /** Undefined for an id that is not this caller's. */
  find(task: TaskRef): Promise<FollowedCall | undefined> {
    return task.scope.followed(keyOf(task));
  }

  /** The task where it runs in this process. */
  running(task: TaskRef): CallConversation | undefined {
    return this.#running.get(keyOf(task));
  }

  /** Runs a task whose approval was answered, unless it does so already here. Where there is no place for it, the next look tries again. */
  resume(task: TaskRef, { call, conversation, options }: Resumed): void {
    if (this.running(task) || this.#detached.refuse(task.owner)) return;
    void conversation.start(() => task.scope.resumeFollowed(call, { ...options, ...conversation.options }));
    conversation.leave();
    this.#hold(task, conversation, conversation.ending);
  }

  /** A task that runs at another process goes on. */
  async cancel(task: TaskRef): Promise<void> {
    const reason = "The client cancelled the task.";
    this.running(task)?.end(reason);
    await task.scope.withdraw(keyOf(task), reason);
  }

  /** Cancels what runs, and waits for its ending. */
  close(): Promise<void> {
    return this.#detached.close();
  }

  #hold(task: TaskRef, conversation: CallConversation, kept: Promise<CallResult>): void {
    const key = keyOf(task);
    this.#running.set(key, conversation);
    void this.#detached.hold(task.owner, kept).finally(() => this.#running.delete(key));
  }
}

/** Two callers never share one: of a person's keys each is another caller. */
const keyOf = ({ owner, id }: TaskRef) => `${owner.owner} ${id}`;
