import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  PostgresIntrospector,
  PostgresQueryCompiler,
  TransactionBuilder,
  type TransactionSettings,
} from "kysely";
import type { Database, Query } from "./database.ts";
import { toStoreError } from "./store-failure.ts";
import type { Tables } from "./tables.ts";

/** What a transaction may do. It ends with the transaction. */
export interface Role {
  readonly name: "toolwright_tenant" | "toolwright_system";
  /** Whose rows it sees and writes. */
  readonly tenant?: string;
}

/** A driver whose transactions can begin under a role. */
export interface RoleDriver extends Driver {
  /** *Contract:* when it rejects, nothing of it stays on the connection. */
  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings, role?: Role): Promise<void>;
}

/** Kysely over a driver: with the login's own rights, and in transactions under a role. */
export function openHandles(driver: RoleDriver, adapter: DialectAdapter): Pick<Database, "owner" | "asTenant" | "asSystem"> {
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  const owner = new Kysely<Tables>({ dialect });
  const run = <Result>(role: Role, work: (query: Query) => Promise<Result>) => {
    const under: Driver = { ...driver, beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings, role) };
    const transaction = new TransactionBuilder<Tables>({ config: { dialect }, dialect, driver: under, executor: owner.getExecutor() });
    return transaction.execute(work).catch((error: unknown) => Promise.reject(toStoreError(error)));
  };
  return {
    owner,
    asTenant: (tenant, work) => run({ name: "toolwright_tenant", tenant }, work),
    asSystem: (work) => run({ name: "toolwright_system" }, work),
  };
}

const roleOnly = "select set_config('role', $1, true)";
const roleAndTenant = `${roleOnly}, set_config('toolwright.tenant', $2, true)`;

/** The statement by which a transaction takes a role: `set_config` with `true` is `SET LOCAL`, and the role is a setting like any other. */
export function taking({ name, tenant }: Role): { readonly sql: string; readonly parameters: readonly string[] } {
  return tenant === undefined ? { sql: roleOnly, parameters: [name] } : { sql: roleAndTenant, parameters: [name, tenant] };
}

/** Runs as the system role on one snapshot: what others write meanwhile is not seen. */
export function runOnSnapshot<Result>(db: Kysely<Tables>, work: (query: Query) => Promise<Result>): Promise<Result> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (query) => {
      const { sql, parameters } = taking({ name: "toolwright_system" });
      await query.executeQuery(CompiledQuery.raw(sql, [...parameters]));
      return work(query);
    });
}
