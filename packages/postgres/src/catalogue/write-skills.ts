import { catalogueMissing, catalogueTaken, type ListedSkill, type Skill, type SkillChanges } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { requireAgent } from "./write-agents.ts";

/** Rejects with `catalogue_refused` when the name is taken. */
export async function insertSkill(query: Query, tenant: string, { skill, title, instructions, tools }: Skill): Promise<void> {
  const { numInsertedOrUpdatedRows } = await query
    .insertInto("toolwright.skills")
    .values({ tenant, skill, title, instructions })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw catalogueTaken("skill", skill);
  await setTools(query, { tenant, skill }, tools);
}

/** Changes what is named and leaves the rest: agents that have it follow at once. */
export async function updateSkill(
  query: Query,
  { tenant, skill }: { readonly tenant: string; readonly skill: string },
  { title, instructions, tools }: SkillChanges,
): Promise<void> {
  await requireSkill(query, tenant, skill);
  await query
    .updateTable("toolwright.skills")
    .set({ ...(title !== undefined && { title }), ...(instructions !== undefined && { instructions }), updated_at: sql`now()` })
    .where("tenant", "=", tenant)
    .where("skill", "=", skill)
    .execute();
  if (tools) await setTools(query, { tenant, skill }, tools);
}

async function setTools(
  query: Query,
  { tenant, skill }: { readonly tenant: string; readonly skill: string },
  tools: readonly string[],
): Promise<void> {
  await sql`delete from toolwright.skill_tools where tenant = ${tenant} and skill = ${skill} and tool <> all(${tools}::text[])`.execute(
    query,
  );
  await sql`insert into toolwright.skill_tools (tenant, skill, tool) select ${tenant}, ${skill}, tool from unnest(${[...new Set(tools)]}::text[]) as given(tool)
    on conflict do nothing`.execute(query);
}

export async function deleteSkill(query: Query, tenant: string, skill: string): Promise<void> {
  await requireSkill(query, tenant, skill);
  await query.deleteFrom("toolwright.skills").where("tenant", "=", tenant).where("skill", "=", skill).execute();
}

export async function setAgentSkill(
  query: Query,
  { tenant, agent, skill }: { readonly tenant: string; readonly agent: string; readonly skill: string },
  enabled: boolean,
): Promise<void> {
  await requireAgent(query, tenant, agent);
  await requireSkill(query, tenant, skill);
  if (enabled)
    await sql`insert into toolwright.agent_skills (tenant, agent, skill) values (${tenant}, ${agent}, ${skill}) on conflict do nothing`.execute(
      query,
    );
  else await sql`delete from toolwright.agent_skills where tenant = ${tenant} and agent = ${agent} and skill = ${skill}`.execute(query);
}

export async function selectSkills(query: Query, tenant: string): Promise<readonly ListedSkill[]> {
  const { rows } = await sql<ListedSkill>`
    select skill, title, instructions,
      array(select tool from toolwright.skill_tools t where t.tenant = s.tenant and t.skill = s.skill order by tool) as tools,
      array(select agent from toolwright.agent_skills a where a.tenant = s.tenant and a.skill = s.skill order by agent) as agents
    from toolwright.skills s where tenant = ${tenant} order by skill`.execute(query);
  return rows;
}

async function requireSkill(query: Query, tenant: string, skill: string): Promise<void> {
  const { rows } = await sql`select from toolwright.skills where tenant = ${tenant} and skill = ${skill} for key share`.execute(query);
  if (rows.length === 0) throw catalogueMissing("skill", skill);
}
