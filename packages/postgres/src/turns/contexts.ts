import type { Json } from "@toolwright/engine";
import type { TurnHold, TurnRecord } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";

/** Writes the context of the conversation whose turn the run holds. */
export async function writeContext(query: Query, { tenant, id, holder }: TurnHold, context: Json): Promise<boolean> {
  const { rows } = await sql`
    insert into toolwright.contexts (tenant, conversation, context)
      select tenant, conversation, ${JSON.stringify(context)}::json from toolwright.turns
      where tenant = ${tenant} and turn = ${storableText(id)} and holder = ${holder} and state = 'running'
    on conflict (tenant, conversation) do update set context = excluded.context
    returning 1`.execute(query);
  return rows.length > 0;
}

/** As a member of what its turn is held with. */
export async function readContext(
  query: Query,
  { tenant, conversation }: Pick<TurnRecord, "tenant" | "conversation">,
): Promise<{ readonly context?: Json }> {
  const row = await query
    .selectFrom("toolwright.contexts")
    .select("context")
    .where("tenant", "=", tenant)
    .where("conversation", "=", conversation)
    .executeTakeFirst();
  return row ?? {};
}
