import type { Principal } from "@toolwright/engine";
import { MANAGE_JOBS, type ScheduleRequest, type Schedules } from "@toolwright/engine/ports";
import type { Insertable } from "kysely";
import type { Database, Query } from "../../database/database.ts";
import { storableText } from "../../database/storable-text.ts";
import { ownerOf } from "../job-row.ts";
import type { JobTables } from "../job-tables.ts";
import type { JobParts } from "../postgres-jobs.ts";
import { checkInput, checkText, checkTime, noSuchJob, readRetry, refuseJob } from "../refuse-job.ts";
import { checkCron, explainUnknownZone, isKnownZone, nextTime } from "./cron.ts";
import { type ScheduleRow, toScheduleRecord } from "./schedule-row.ts";

const mostMissed = 1_000;

/** Schedules in PostgreSQL; workers turn their times into jobs. */
export function createPostgresSchedules(database: Database, { ids, now }: JobParts): Schedules {
  return {
    async add(principal, request) {
      const columns = toColumns(principal, request, { id: ids.next("sch"), now: now() });
      const row = await database.asTenant(principal.tenant, (query) =>
        query
          .insertInto("toolwright.schedules")
          .values(columns)
          .onConflict((conflict) => conflict.columns(["tenant", "owner", "name"]).doNothing())
          .returningAll()
          .executeTakeFirst(),
      );
      if (!row) throw refuseJob(`There is a schedule ${JSON.stringify(request.name)} already. Remove it first, or choose another name.`);
      return toScheduleRecord(row);
    },
    list: (principal) =>
      database.asTenant(principal.tenant, async (query) => {
        const rows = await visibleSchedules(query, principal).orderBy("name").orderBy("schedule").execute();
        return rows.map(toScheduleRecord);
      }),
    remove: (principal, id) =>
      database.asTenant(principal.tenant, async (query) => {
        const { tenant, schedule } = await readSchedule(query, principal, id);
        await query.deleteFrom("toolwright.schedules").where("tenant", "=", tenant).where("schedule", "=", schedule).execute();
      }),
    pause: (principal, id, paused) =>
      database.asTenant(principal.tenant, async (query) => {
        const row = await readSchedule(query, principal, id);
        const goesOn = row.paused && !paused && row.next_at !== null;
        if (goesOn && !isKnownZone(row.zone)) throw refuseJob(explainUnknownZone(row.zone));
        const next = goesOn && row.cron !== null ? new Date(nextTime({ line: row.cron, zone: row.zone }, now())) : row.next_at;
        const changed = await query
          .updateTable("toolwright.schedules")
          .set({ paused, pause_reason: null, next_at: next })
          .where("tenant", "=", row.tenant)
          .where("schedule", "=", row.schedule)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toScheduleRecord(changed);
      }),
  };
}

/** Those of schedules of all tenants that wait for them. */
export async function findUnknownZones({ owner }: Pick<Database, "owner">): Promise<readonly string[]> {
  const rows = await owner
    .selectFrom("toolwright.schedules")
    .select("zone")
    .distinct()
    .where("paused", "=", false)
    .where("next_at", "is not", null)
    .orderBy("zone")
    .execute();
  return rows.map(({ zone }) => zone).filter((zone) => !isKnownZone(zone));
}

function toColumns(
  principal: Principal,
  { name, tool, input, sealed, inputDigest, session, when, missed = { rule: "once" }, retry }: ScheduleRequest,
  { id, now }: { readonly id: string; readonly now: number },
): Insertable<JobTables["toolwright.schedules"]> {
  checkText("name", name);
  checkText("tool", tool);
  checkText("session", session);
  checkInput(input);
  const most = missed.rule === "all" ? missed.most : 1;
  if (!Number.isInteger(most) || most < 1 || most > mostMissed)
    throw refuseJob(`Missed runs are made up for from 1 to ${mostMissed} at most.`);
  return {
    tenant: principal.tenant,
    schedule: id,
    owner: ownerOf(principal),
    name,
    session: session ?? null,
    principal: JSON.stringify(principal),
    tool,
    input: JSON.stringify(input),
    sealed: sealed ?? null,
    input_digest: inputDigest ?? null,
    retry: JSON.stringify(readRetry(retry)),
    ...toTimes(when, now),
    missed: missed.rule,
    most_missed: most,
    last_at: null,
    pause_reason: null,
    created_at: new Date(now),
  };
}

function toTimes(when: ScheduleRequest["when"], now: number) {
  if ("at" in when) {
    checkTime(when.at);
    if (when.at <= now) throw refuseJob("The time of a single run has passed already.");
    return { cron: null, zone: "UTC", next_at: new Date(when.at) };
  }
  const cron = { line: when.cron.trim(), zone: when.zone ?? "UTC" };
  checkCron(cron);
  return { cron: cron.line, zone: cron.zone, next_at: new Date(nextTime(cron, now)) };
}

function visibleSchedules(query: Query, principal: Principal) {
  const rows = query.selectFrom("toolwright.schedules").selectAll().where("tenant", "=", principal.tenant);
  return principal.permissions.includes(MANAGE_JOBS) ? rows : rows.where("owner", "=", ownerOf(principal));
}

/** By id, else by name. */
async function readSchedule(query: Query, principal: Principal, given: string): Promise<ScheduleRow> {
  const id = storableText(given);
  const rows = await visibleSchedules(query, principal)
    .where((where) => where.or([where("schedule", "=", id), where("name", "=", id)]))
    .forUpdate()
    .execute();
  const row = rows.find(({ schedule }) => schedule === id) ?? rows[0];
  if (!row) throw noSuchJob(id);
  if (row.schedule !== id && rows.length > 1) throw refuseJob(`Several schedules are named ${JSON.stringify(id)}. Name one by its id.`);
  return row;
}
