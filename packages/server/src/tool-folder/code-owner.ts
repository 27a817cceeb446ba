import { AsyncLocalStorage } from "node:async_hooks";

/** What got away from a tool's code: nobody there waits for it any more. */
export interface Escape {
  /** What the code did, for people: "it called process.exit". */
  readonly what: string;
  readonly error?: unknown;
}

/** Whose code runs: a tool file that loads, or one run of its tool. *Contract:* `escaped` does not throw. */
export interface CodeOwner {
  escaped(escaped: Escape): void;
}

const owners = new AsyncLocalStorage<CodeOwner>();

/** Everything that the work starts, timers and promises too, belongs to the owner. */
export function runOwned<Result>(owner: CodeOwner, work: () => Result): Result {
  return owners.run(owner, work);
}

export function currentOwner(): CodeOwner | undefined {
  return owners.getStore();
}
