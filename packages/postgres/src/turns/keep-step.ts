import type { KeptStep, TurnHold } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { callFunction } from "../database/call-function.ts";
import type { Database } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";

export function keepStep(database: Database, { tenant, id, holder }: TurnHold, kept: KeptStep): Promise<boolean> {
  const { step, response, settled, delivered, usage, at } = kept;
  const messages = settled.map((message) => JSON.stringify(message));
  return callFunction(
    database,
    sql`toolwright.keep_step(${tenant}, ${storableText(id)}, ${holder}, ${step}::int, ${JSON.stringify(response)}::json,
      ${messages}::text[], ${delivered.map(Number)}::bigint[], ${JSON.stringify(usage)}::json, ${at}::bigint)`,
  );
}
