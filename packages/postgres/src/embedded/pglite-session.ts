import type { PGlite } from "@electric-sql/pglite";
import { createStatementNames } from "../database/statement-names.ts";
import type { LinkRows } from "./embedded-link.ts";

export interface Statement {
  readonly sql: string;
  readonly parameters?: readonly unknown[];
}

/** Runs statements as one message, each only if those before it succeeded. Resolves to what the last one gave. `role`: that of the transaction. */
export type Run = (statements: readonly Statement[], role?: string) => Promise<LinkRows>;

/**
 * The one session of embedded PostgreSQL. PGlite's own queries take six messages each, and have the statement read and planned every time: of a short
 * one, that is nine tenths of the work.
 */
interface PgliteSession {
  /** Nothing else runs until `work` has ended. */
  exclusively<Result>(work: (run: Run) => Promise<Result>): Promise<Result>;
}

export async function openSession(pglite: PGlite): Promise<PgliteSession> {
  // As the database is, loaded only where it is used.
  const { protocol, parse } = await import("@electric-sql/pglite");
  const { serialize } = protocol;
  const names = createStatementNames();
  const kept = new Set<string>();
  const perform = Buffer.concat([serialize.describe({ type: "P" }), serialize.execute()]);
  const sync = serialize.sync();
  const messagesOf = ({ sql, parameters = [] }: Statement, name = "") => {
    // It may be there from a message that failed later on.
    const read = kept.has(name) ? [] : [serialize.close({ type: "S", name }), serialize.parse({ name, text: sql })];
    return [...read, serialize.bind({ statement: name, values: parameters.map(toValue) }), perform];
  };
  const run: Run = async (statements, role) => {
    const named = statements.map((statement) => ({ statement, name: names.nameOf(statement.sql, statement.parameters ?? [], role) }));
    const messages = named.flatMap(({ statement, name }) => messagesOf(statement, name));
    try {
      const answers = await pglite.runExclusive(() => pglite.execProtocolStream(Buffer.concat([...messages, sync]), { syncToFs: false }));
      for (const { name } of named) if (name !== undefined) kept.add(name);
      const { rows = [], affectedRows, command } = parse.parseResults(answers, pglite.parsers).at(-1) ?? {};
      return { rows: rows as LinkRows["rows"], affected: affectedRows, command };
    } catch (error) {
      throw names.told(error);
    }
  };
  return {
    async exclusively(work) {
      await pglite._checkReady();
      return pglite._runExclusiveTransaction(() => work(run));
    },
  };
}

/** Goes by what a value is and not by its place, as the driver for servers does. */
function toValue(value: unknown): string | Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(toElement).join()}}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function toElement(value: unknown): string {
  const element = toValue(value);
  if (element === null) return "NULL";
  if (Array.isArray(value)) return String(element);
  const text = typeof element === "string" ? element : `\\x${Buffer.from(element).toString("hex")}`;
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
