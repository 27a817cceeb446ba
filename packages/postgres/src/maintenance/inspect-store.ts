import { ToolwrightError } from "@toolwright/engine/errors";
import type { StoreInspector } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { describeDatabase } from "../database/describe-database.ts";
import { findUnprotected } from "../database/find-unprotected.ts";
import { verifyLog } from "../events/verify-log.ts";
import { type MigrationState, readMigrationState } from "../migrate/migrate.ts";

/** Inspects a store of any version. */
export function createStoreInspector(database: Database): Omit<StoreInspector, "place"> {
  return {
    async describe() {
      const { applied, pending, unknown, changed } = await readMigrationState(database.owner);
      const fits = pending.length === 0 && changed.length === 0 && !unknown.some(({ breaking }) => breaking);
      const migrations = { applied: names(applied), pending: names(pending), unknown: names(unknown), changed };
      return { kind: database.kind, ...(await describeDatabase(database)), fits, migrations };
    },
    async verify(signal) {
      const { changed } = await requireMigrated(database);
      const unprotected = await findUnprotected(database);
      const counts = { sessions: 0, events: 0 };
      const faults: string[] = [];
      for await (const { tenant, session, events, faults: found } of verifyLog(database, {})) {
        if (signal?.aborted) break;
        counts.sessions += 1;
        counts.events += events;
        faults.push(...found.map((fault) => `session ${session} of ${tenant}: ${fault.message}`));
      }
      const problems = [
        ...changed.map((name) => `migration ${name} was applied with another text than this version has`),
        ...unprotected.map((name) => `table ${name} is open to every tenant`),
        ...faults,
      ];
      return { ...counts, problems, ...(signal?.aborted && { stopped: true as const }) };
    },
  };
}

const names = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name);

/** Rejects with `store_outdated` for a store that lacks migrations. */
export async function requireMigrated({ owner }: Pick<Database, "owner">): Promise<MigrationState> {
  const state = await readMigrationState(owner);
  if (state.pending.length === 0) return state;
  throw new ToolwrightError(
    "store_outdated",
    `The store lacks ${names(state.pending).join(", ")}. Bring it to this version first: toolwright db migrate`,
  );
}
