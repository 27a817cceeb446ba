import type { ChainEnd } from "@toolwright/engine/ports";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { PackedBatch } from "./pack-batch.ts";
import type { PackedKeys } from "./pack-keys.ts";

interface BatchName {
  readonly tenant: string;
  /** Which writes it. */
  readonly process: string;
  readonly writer: string;
  /** Rises with every batch of a writer: one that comes again is written once. */
  readonly batch: number;
}

interface Answer {
  readonly moved: readonly ChainEnd[] | null;
}

/** As a further column of the statement that writes a batch. */
function writeKeys({ tenant, process }: BatchName, packed: PackedKeys) {
  const { keys, fingerprints, claiming, ats, expiries, followed, ending, results, finals, endeds, keptUntils } = packed;
  return sql`, toolwright.write_keys(${tenant}, ${process},
    ${keys}::text[], ${fingerprints}::text[], ${claiming}::text[], ${ats}::bigint[], ${expiries}::bigint[], ${followed}::boolean[],
    ${ending}::text[], ${results}::text[], ${finals}::boolean[], ${endeds}::bigint[], ${keptUntils}::bigint[])`;
}

/**
 * In one statement, which takes the tenant's role by itself; `db` is under none of ours. Resolves to where the chains of the batch's sessions
 * end now, in their order, if any of them did not begin where it was thought to.
 */
export async function appendBatch(
  db: Kysely<Tables>,
  name: BatchName,
  { sessions, links, facts, ats, calls, datas, inFlight, usage, keys }: PackedBatch & { readonly keys?: PackedKeys | undefined },
): Promise<readonly ChainEnd[] | undefined> {
  const { tenant, process, writer, batch } = name;
  const texts = (values: readonly (string | null)[]) => sql`${values}::text[]`;
  const numbers = (values: readonly number[]) => sql`${values}::bigint[]`;
  const places = (values: readonly number[]) => sql`${values}::int[]`;
  const { starting, ending } = inFlight;
  const parameters = [
    sql`${tenant}, ${process}, ${writer}, ${batch}::bigint`,
    texts(sessions.map(({ name }) => name)),
    numbers(sessions.map(({ first }) => first)),
    numbers(sessions.map(({ last }) => last)),
    places(sessions.map(({ end }) => end)),
    numbers(sessions.map(({ head }) => head.sequence)),
    texts(sessions.map(({ head }) => head.hash)),
    texts(facts.sets.map(({ type }) => type)),
    texts(facts.sets.map(({ tool }) => tool ?? null)),
    texts(facts.sets.map(({ actor }) => actor.kind)),
    texts(facts.sets.map(({ actor }) => actor.id)),
    texts(facts.sets.map(({ agent }) => agent ?? null)),
    texts(facts.sets.map(({ door }) => door)),
    texts(facts.sets.map(({ source }) => source ?? null)),
    places(links.map(({ place }) => place)),
    places(facts.ofEvents),
    places(links.map(({ rank }) => rank)),
    places(links.map(({ before }) => before)),
    numbers(ats),
    texts(calls),
    texts(datas),
    texts(links.map(({ digest }) => digest)),
    texts(links.map(({ hash }) => hash)),
    sql`${starting}::text[], ${ending}::text[], ${usage === undefined ? null : JSON.stringify(usage)}::json`,
  ];
  const { rows } = await sql<Answer>`select toolwright.record_events(${sql.join(parameters)}) as moved
    ${keys ? writeKeys(name, keys) : sql``}`.execute(db);
  return rows[0]?.moved ?? undefined;
}
