import type { Database } from "../database/database.ts";

export interface DelayedDatabase extends Database {
  /** Holds back what the next transaction of the system answers. `answered` resolves when it has read; `release` lets its answer through. */
  delayNext(): { readonly answered: Promise<void>; release(): void };
}

/** Wraps a database so that an answer may be late and announcements do not arrive. */
export function delayAnswer(database: Database): DelayedDatabase {
  let next: { readonly answered: PromiseWithResolvers<void>; readonly held: PromiseWithResolvers<void> } | undefined;
  return {
    ...database,
    listen: () => () => {},
    async asSystem(work) {
      const late = next;
      next = undefined;
      const answer = await database.asSystem(work);
      late?.answered.resolve();
      await late?.held.promise;
      return answer;
    },
    delayNext() {
      next = { answered: Promise.withResolvers(), held: Promise.withResolvers() };
      return { answered: next.answered.promise, release: next.held.resolve };
    },
  };
}
