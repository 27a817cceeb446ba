import { type AgentBelongings, type AgentName, actsAs } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { JobRow } from "../jobs/job-row.ts";
import { seeMemoriesOf } from "../memories/postgres-memories.ts";
import { isOpenRow } from "../turns/turn-row.ts";

export interface ReadBelongings extends AgentBelongings {
  readonly jobRows: readonly JobRow[];
  readonly scheduleIds: readonly string[];
}

export function toBelongings({ jobRows: _jobs, scheduleIds: _schedules, ...belongings }: ReadBelongings): AgentBelongings {
  return belongings;
}

/** At the time `now`, milliseconds since the epoch. Jobs and schedules are locked. */
export async function readBelongings(query: Query, { tenant, agent }: AgentName, now: number): Promise<ReadBelongings> {
  // As text: PostgreSQL reads no member of JSON that holds NUL. Within a string the quotes would be escaped; the rest is told apart below.
  const isNamed = (column: "principal" | "record") => sql<boolean>`${sql.ref(column)}::text like ${`%"agent":"${agent}"%`}`;
  const at = new Date(now);
  const schedules = await query
    .selectFrom("toolwright.schedules")
    .selectAll()
    .where("tenant", "=", tenant)
    .where(isNamed("principal"))
    .forUpdate()
    .execute();
  const jobs = await query
    .selectFrom("toolwright.jobs")
    .selectAll()
    .where("tenant", "=", tenant)
    .where("state", "in", ["blocked", "queued", "running"])
    .where(isNamed("principal"))
    .orderBy("job")
    .forUpdate()
    .execute();
  const approvals = await query
    .selectFrom("toolwright.approvals")
    .select(["approval", "record"])
    .where("tenant", "=", tenant)
    .where("claimed_at", "is", null)
    .where("expires_at", ">", at)
    .where(isNamed("record"))
    .execute();
  const grants = await query
    .selectFrom("toolwright.grants")
    .select(["grant_id", "record"])
    .where("tenant", "=", tenant)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", at)
    .where(sql<boolean>`record::text like ${`%"holder":"agent ${agent}"%`}`)
    .execute();
  const keys = await query
    .selectFrom("toolwright.api_keys")
    .select("key_id")
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .where("revoked_at", "is", null)
    .execute();
  const ofAgent = schedules.filter(({ principal }) => actsAs(principal, agent));
  const jobRows = jobs.filter(({ principal }) => actsAs(principal, agent));
  return {
    schedules: ofAgent.map(({ name }) => name),
    hooks: await findHooks(query, { tenant, agent }),
    scheduleIds: ofAgent.map(({ schedule }) => schedule),
    jobs: jobRows.map(({ job }) => job),
    jobRows,
    keys: keys.map(({ key_id }) => key_id),
    grants: grants
      .filter(({ record: { scope } }) => scope.kind !== "tenant" && scope.holder === `agent ${agent}`)
      .map(({ grant_id }) => grant_id),
    approvals: approvals.filter(({ record }) => actsAs(record.principal, agent)).map(({ approval }) => approval),
    turns: await findOpenTurns(query, { tenant, agent }),
    rooms: await findRooms(query, { tenant, agent }),
    ...(await countRows(query, { tenant, agent })),
  };
}

async function findHooks(query: Query, { tenant, agent }: AgentName): Promise<readonly string[]> {
  const rows = await query
    .selectFrom("toolwright.hooks")
    .select("name")
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .orderBy("name")
    .execute();
  return rows.map(({ name }) => name);
}

async function findOpenTurns(query: Query, { tenant, agent }: AgentName): Promise<readonly string[]> {
  const rows = await query
    .selectFrom("toolwright.turns")
    .select("turn")
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .where(isOpenRow)
    .orderBy("turn")
    .execute();
  return rows.map(({ turn }) => turn);
}

async function findRooms(query: Query, { tenant, agent }: AgentName): Promise<readonly string[]> {
  const rows = await query
    .selectFrom("toolwright.rooms")
    .select("room")
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .orderBy("room")
    .execute();
  return rows.map(({ room }) => room);
}

type Counted = Pick<AgentBelongings, "memories" | "secrets" | "tools" | "skills">;

async function countRows(query: Query, { tenant, agent }: AgentName): Promise<Counted> {
  await seeMemoriesOf(query, `agent:${agent}`);
  const count = (table: string) =>
    sql<number>`(select count(*)::int from ${sql.table(`toolwright.${table}`)} where tenant = ${tenant} and agent = ${agent})`;
  const { rows } = await sql<Counted>`
    select (select count(*)::int from toolwright.memories where tenant = ${tenant}) as memories, ${count("secrets")} as secrets, ${count("agent_tools")} as tools, ${count("agent_skills")} as skills`.execute(
    query,
  );
  return rows[0] ?? { memories: 0, secrets: 0, tools: 0, skills: 0 };
}
