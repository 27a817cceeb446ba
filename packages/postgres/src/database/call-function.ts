import { type RawBuilder, sql } from "kysely";
import type { Database } from "./database.ts";
import { toStoreError } from "./store-failure.ts";

/** Calls a function that takes the role of the tenant by itself: one way to the database and back, where a transaction needs four. */
export async function callFunction<Result>({ owner }: Pick<Database, "owner">, call: RawBuilder<unknown>): Promise<Result> {
  try {
    const { rows } = await sql<{ result: Result }>`select ${call} as result`.execute(owner);
    return rows[0]?.result as Result;
  } catch (error) {
    throw toStoreError(error);
  }
}
