import type { PendingVector } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import type { VectorSupport } from "./open-vectors.ts";
import { readPending } from "./select-pending.ts";
import type { StoredVectors } from "./stored-vectors.ts";
import { type VectorSource, vectorTable } from "./vector-source.ts";
import { createWaiting } from "./waiting.ts";

type NewVector = PendingVector & { readonly vector: Float32Array };

/** Vectors of the rows of a table. A row has none, or one of another model or of an older text: then it waits for one. There is no other note of it. */
export function createVectorIndex(database: Database, source: VectorSource, find: () => Promise<VectorSupport>): StoredVectors {
  const waiting = createWaiting<PendingVector>(
    (row) => row[source.announced],
    () => database.listen(source.topic, waiting.heard),
  );
  return {
    unavailable: async () => (await find()).unavailable,
    async pending(model, { limit, tenant, owner }) {
      if ((await find()).schema === undefined) return [];
      if (tenant === undefined) return readPending(database.asSystem, source, { model, limit });
      return waiting.find({ tenant, of: `${model} ${owner ?? ""}`, limit }, (among) =>
        readPending((work) => asOwner(database, { tenant, owner }, work), source, { model, limit, tenant, owner, among }),
      );
    },
    changed(tenant, id) {
      waiting.heard({ tenant, id });
      database.announce({ topic: source.topic, tenant, id });
    },
    async keep(model, vectors) {
      const { schema } = await find();
      if (schema === undefined) return;
      for (const [tenant, some] of Map.groupBy(vectors, (each) => each.tenant))
        await asOwner(database, { tenant }, (query) => insertVectors(query, source, { model, schema, tenant, vectors: some }));
    },
    onPending: (listener) => database.listen(source.topic, listener),
  };
}

/** Runs a query as one owner, or as all owners of the tenant. */
function asOwner<Result>(
  database: Database,
  { tenant, owner = "*" }: { readonly tenant: string; readonly owner?: string | undefined },
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  return database.asTenant(tenant, async (query) => {
    await sql`select set_config('toolwright.memory_owner', ${owner}, true)`.execute(query);
    return work(query);
  });
}

interface NewVectors {
  readonly model: string;
  /** Schema of the extension. */
  readonly schema: string;
  readonly tenant: string;
  readonly vectors: readonly NewVector[];
}

/** Rows that are gone or have another text are left out, and the others stay as they are until theirs are in. */
async function insertVectors(query: Query, source: VectorSource, { model, schema, tenant, vectors }: NewVectors): Promise<void> {
  const [owner, id, mark] = [sql.ref(`entry.${source.owner}`), sql.ref(`entry.${source.id}`), sql.ref(`entry.${source.mark}`)];
  await sql`insert into ${vectorTable(source)} (tenant, owner, id, mark, model, embedding)
    select entry.tenant, ${owner}, ${id}, ${mark}, ${model}, given.embedding::${sql.id(schema, "halfvec")}
    from unnest(${vectors.map((each) => each.owner)}::text[], ${vectors.map((each) => each.id)}::text[], ${vectors.map((each) => each.mark)}::int[],
      ${vectors.map(({ vector }) => writeVector(vector))}::text[]) as given(owner, id, mark, embedding)
    join ${sql.table(source.table)} as entry
      on entry.tenant = ${tenant} and ${owner} = given.owner and ${id} = given.id::${sql.raw(source.idType)} and ${mark} = given.mark
    for key share of entry
    on conflict (tenant, owner, id) do update set mark = excluded.mark, model = excluded.model, embedding = excluded.embedding`.execute(
    query,
  );
}

/** As the extension reads it; it keeps three or four digits of each number. */
export const writeVector = (vector: Float32Array) => `[${Array.from(vector, (value) => value.toFixed(5)).join()}]`;
