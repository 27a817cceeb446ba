/** Statements that have a name at most: each costs a connection some kilobytes for as long as it lives. */
const mostNames = 500;
/** Statements that are remembered as asked once at most. */
const mostOnce = 2_000;
/** Characters of a statement that has a name: longer ones carry many rows, and rarely come again. */
const mostCharacters = 10_000;

/** PostgreSQL's code for a transaction that can be tried again. */
const tryAgain = "40001";

interface StatementNames {
  /** Name of a statement that comes again; undefined for one that is better read anew. */
  nameOf(sql: string, parameters: readonly unknown[], role?: string): string | undefined;
  /** The failure of a statement, as callers are to see it. Where its tables were changed since it was kept, all are named anew. */
  told(error: unknown): unknown;
}

/**
 * Names under which connections keep statements: what comes again is neither read nor, after a few times, planned again, which is most of the
 * work of a short one. Each role has its own, so that no plan is ever used under the policies of another.
 */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const once = new Set<string>();
  let given = 0;
  return {
    nameOf(sql, parameters, role = "") {
      // Those of no parameters begin and end transactions, or come once.
      if (parameters.length === 0 || sql.length > mostCharacters) return undefined;
      const key = `${role}\n${sql}`;
      const name = names.get(key);
      if (name !== undefined || names.size >= mostNames) return name;
      if (!once.delete(key)) {
        if (once.size >= mostOnce) once.clear();
        once.add(key);
        return undefined;
      }
      given += 1;
      const fresh = `toolwright_${given}`;
      names.set(key, fresh);
      return fresh;
    },
    told(error) {
      // Its message comes in the language of the server.
      if ((error as { readonly routine?: unknown } | undefined)?.routine !== "RevalidateCachedQuery") return error;
      names.clear();
      return Object.assign(new Error("The tables of this statement have changed.", { cause: error }), { code: tryAgain });
    },
  };
}
