import pg from "pg";

/** Commits by what they wrote first. */
export type Commits = ReadonlyMap<string, number>;

/** What functions of the store write that do so by themselves; undefined for one whose commit waits for no disk. */
const byFunction = new Map([
  ["record_events", "events"],
  ["keep_step", "turns"],
  ["add_part", undefined],
  ["read_news", undefined],
]);
const called = /^\s*select toolwright\.(\w+)\(/i;
const written = /\b(?:insert into|update|delete from)\s+"?toolwright"?\."?(\w+)/i;

/** A function that nobody named here counts under its own name. */
function nameOf(text: string): string | undefined {
  const name = called.exec(text)?.[1];
  if (name === undefined) return written.exec(text)?.[1];
  return byFunction.has(name) ? byFunction.get(name) : name;
}

interface Open {
  wrote: string | undefined;
  /** For the disk. */
  waits: boolean;
}

/**
 * Counts the commits of this process that wait for the disk. Those of transactions that only read do not, nor do notices to other processes and what is
 * written with `synchronous_commit` off. Returns what there is since the last look.
 */
export function countCommits(): () => Commits {
  const open = new WeakMap<pg.Client, Open>();
  let counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const note = (client: pg.Client, text: string) => {
    const transaction = open.get(client);
    if (/^\s*begin/i.test(text)) open.set(client, { wrote: undefined, waits: true });
    else if (/^\s*(commit|rollback)/i.test(text)) {
      if (transaction?.wrote !== undefined && transaction.waits && /^\s*commit/i.test(text)) count(transaction.wrote);
      open.delete(client);
    } else {
      const name = nameOf(text);
      if (name === undefined) return;
      if (!transaction) return count(name);
      transaction.wrote ??= name;
      transaction.waits &&= !text.includes("synchronous_commit");
    }
  };
  const { query } = pg.Client.prototype as unknown as { query: (this: pg.Client, ...given: readonly unknown[]) => unknown };
  pg.Client.prototype.query = function (this: pg.Client, ...given: readonly unknown[]) {
    const [first] = given;
    note(this, typeof first === "string" ? first : ((first as { readonly text?: string } | undefined)?.text ?? ""));
    return query.apply(this, given);
  } as never;
  return () => {
    const taken = counts;
    counts = new Map();
    return taken;
  };
}
