import type { TurnUsage, TurnUsageFilter, TurnUsageGroup } from "@toolwright/engine/ports";
import { type RawBuilder, sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";

type Counts = "turns" | "requests" | "inputTokens" | "cachedInputTokens" | "cacheWriteTokens" | "outputTokens" | "reasoningTokens";

/** PostgreSQL gives large numbers as text. */
type UsageRow = { readonly key: string; readonly cost: string | null } & Readonly<Record<Counts | "unpriced" | "estimated", string>>;

const model = sql`coalesce(usage -> 'models' ->> 0, '')`;
const keys: Readonly<Record<TurnUsageGroup, RawBuilder<unknown>>> = {
  model,
  agent: sql`agent`,
  day: sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`,
  tenant: sql`tenant`,
};

const tokens = ["inputTokens", "cachedInputTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens"] as const;
const sumOf = (name: (typeof tokens)[number]) => sql`coalesce(sum((usage ->> ${sql.lit(name)})::bigint), 0)`;

export async function sumTurnUsage(query: Query, filter: TurnUsageFilter): Promise<readonly TurnUsage[]> {
  const { rows } = await selectTurnUsage(filter).execute(query);
  return rows.map(({ key, cost, ...counts }) => {
    const numbers = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]));
    return { key, cost: cost === null ? null : Number(cost), ...numbers } as unknown as TurnUsage;
  });
}

/** Exported so that its plan can be looked at. */
export function selectTurnUsage({ tenant, by, since, until, ...wanted }: TurnUsageFilter): RawBuilder<UsageRow> {
  const conditions = [
    sql`tenant = ${tenant} and created_at >= ${new Date(since)} and usage::text <> '{}'`,
    ...(until === undefined ? [] : [sql`created_at < ${new Date(until)}`]),
    ...(wanted.agent === undefined ? [] : [sql`agent = ${storableText(wanted.agent)}`]),
    ...(wanted.model === undefined ? [] : [sql`${model} = ${storableText(wanted.model)}`]),
  ];
  const sums = tokens.map((name) => sql`${sumOf(name)} as ${sql.ref(name)}`);
  return sql`select ${keys[by]} as key, count(*) as turns, sum(steps) as requests, ${sql.join(sums)}, sum((usage ->> 'cost')::numeric) as cost,
      count(*) filter (where usage ->> 'cost' is null) as unpriced, count(*) filter (where usage ->> 'estimated' = 'true') as estimated
    from toolwright.turns where ${sql.join(conditions, sql` and `)} group by 1
    order by ${by === "day" ? sql`1` : sql`${sumOf("inputTokens")} + ${sumOf("outputTokens")} desc, 1`}`;
}
