import type { MissedRuns, ScheduleRecord } from "@toolwright/engine/ports";
import type { Selectable } from "kysely";
import type { JobTables } from "../job-tables.ts";
import { explainUnknownZone, isKnownZone } from "./cron.ts";

export type ScheduleRow = Selectable<JobTables["toolwright.schedules"]>;

export function toScheduleRecord(row: ScheduleRow): ScheduleRecord {
  return {
    id: row.schedule,
    name: row.name,
    principal: row.principal,
    tool: row.tool,
    input: row.input,
    ...(row.session !== null && { session: row.session }),
    retry: row.retry,
    ...(row.cron !== null && { cron: row.cron }),
    zone: row.zone,
    missed: toMissed(row),
    isPaused: row.paused,
    ...(row.pause_reason !== null && { pauseReason: row.pause_reason }),
    ...(isWaiting(row) && { waitReason: explainUnknownZone(row.zone) }),
    ...(row.next_at && { nextAt: row.next_at.getTime() }),
    ...(row.last_at && { lastAt: row.last_at.getTime() }),
    leftOut: row.left_out,
    createdAt: row.created_at.getTime(),
  };
}

const isWaiting = ({ paused, next_at: next, zone }: ScheduleRow) => !paused && next !== null && !isKnownZone(zone);

function toMissed({ missed, most_missed: most }: ScheduleRow): MissedRuns {
  return missed === "all" ? { rule: missed, most } : { rule: missed };
}
