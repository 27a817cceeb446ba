import pg from "pg";
import { serverUrl } from "./test-database.ts";

/** Why the server of the test run keeps no vectors; npm's binaries have no pgvector, a server that `DATABASE_URL` names may. */
export async function whyNoPgvector(): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  const { rowCount } = await client.query(
    "select from pg_available_extensions where name = 'vector' and string_to_array(default_version, '.')::int[] >= '{0,7}'",
  );
  await client.end();
  return rowCount ? undefined : "its server has no pgvector 0.7 or newer; DATABASE_URL may name one that has";
}
