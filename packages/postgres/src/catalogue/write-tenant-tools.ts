import type { TenantTool, TenantToolRows, ToolOverride } from "@toolwright/engine/catalogue";
import { catalogueMissing, digest, type SchemaVersion } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { makeToolRows } from "./tenant-facts.ts";

interface By {
  readonly tenant: string;
  readonly by: string;
}

export async function upsertOverride(query: Query, { tenant, by }: By, override: ToolOverride): Promise<void> {
  const { tool, title = null, description = null, approval = null, visibility = {}, limits = {} } = override;
  await sql`insert into toolwright.tools (tenant, tool, kind, title, description, approval, visibility, limits, updated_by)
    values (${tenant}, ${tool}, 'system_override', ${title}, ${description}, ${approval}, ${JSON.stringify(visibility)}::jsonb, ${JSON.stringify(limits)}::jsonb, ${by})
    on conflict (tenant, kind, tool) do update set title = excluded.title, description = excluded.description, approval = excluded.approval,
      visibility = excluded.visibility, limits = excluded.limits, updated_at = now(), updated_by = excluded.updated_by`.execute(query);
}

/** Keeps the schemas by their content, and a version when they are not those of the last one. */
export async function upsertTenantTool(query: Query, { tenant, by }: By, row: TenantTool): Promise<void> {
  const {
    tool,
    title,
    group,
    description,
    approval,
    permission = null,
    visibility = {},
    limits = {},
    inputSchema,
    outputSchema,
    execution,
  } = row;
  await sql`insert into toolwright.tools (tenant, tool, kind, title, description, tool_group, approval, permission, visibility, limits,
      input_schema, output_schema, execution, updated_by)
    values (${tenant}, ${tool}, 'tenant_custom', ${title}, ${description}, ${group}, ${approval}, ${permission}, ${JSON.stringify(visibility)}::jsonb,
      ${JSON.stringify(limits)}::jsonb, ${JSON.stringify(inputSchema)}::json, ${JSON.stringify(outputSchema)}::json, ${JSON.stringify(execution)}::json, ${by})
    on conflict (tenant, kind, tool) do update set title = excluded.title, description = excluded.description, tool_group = excluded.tool_group,
      approval = excluded.approval, permission = excluded.permission, visibility = excluded.visibility, limits = excluded.limits,
      input_schema = excluded.input_schema, output_schema = excluded.output_schema, execution = excluded.execution,
      updated_at = now(), updated_by = excluded.updated_by`.execute(query);
  const hashes = [digest(inputSchema), digest(outputSchema)] as const;
  await sql`insert into toolwright.schema_contents (tenant, hash, content)
    values (${tenant}, ${hashes[0]}, ${JSON.stringify(inputSchema)}::json), (${tenant}, ${hashes[1]}, ${JSON.stringify(outputSchema)}::json)
    on conflict do nothing`.execute(query);
  // The row of the tool is locked by the statement above: versions of one tool never race.
  await sql`insert into toolwright.schema_versions (tenant, tool, version, input_hash, output_hash, created_by)
    select ${tenant}, ${tool}, coalesce(max(version), 0) + 1, ${hashes[0]}, ${hashes[1]}, ${by}
    from toolwright.schema_versions where tenant = ${tenant} and tool = ${tool}
    having not exists (select from toolwright.schema_versions last where last.tenant = ${tenant} and last.tool = ${tool}
      and last.version = max(schema_versions.version) and last.input_hash = ${hashes[0]} and last.output_hash = ${hashes[1]})`.execute(
    query,
  );
}

export async function deleteToolRow(
  query: Query,
  { tenant, tool }: { tenant: string; tool: string },
  kind: "system_override" | "tenant_custom",
): Promise<void> {
  const { numDeletedRows } = await query
    .deleteFrom("toolwright.tools")
    .where("tenant", "=", tenant)
    .where("tool", "=", tool)
    .where("kind", "=", kind)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw catalogueMissing(kind === "tenant_custom" ? "tool of the tenant" : "override", tool);
  if (kind === "system_override") return;
  // What enabled the tool would enable whatever takes its name.
  await sql`delete from toolwright.agent_tools where tenant = ${tenant} and tool = ${tool} and enabled`.execute(query);
  await sql`delete from toolwright.tenant_tools where tenant = ${tenant} and tool = ${tool} and enabled`.execute(query);
}

export async function selectToolRows(query: Query, tenant: string): Promise<TenantToolRows> {
  return makeToolRows((await readCatalogue(query, [tenant])).tools);
}

/** Newest first. */
export async function selectVersions(query: Query, tenant: string, tool: string): Promise<readonly SchemaVersion[]> {
  const { rows } = await sql<Omit<SchemaVersion, "createdAt"> & { createdAt: Date }>`
    select version, input_hash as "inputHash", output_hash as "outputHash", i.content as "inputSchema", o.content as "outputSchema",
      created_at as "createdAt", created_by as "createdBy"
    from toolwright.schema_versions v
      join toolwright.schema_contents i on i.tenant = v.tenant and i.hash = v.input_hash
      join toolwright.schema_contents o on o.tenant = v.tenant and o.hash = v.output_hash
    where v.tenant = ${tenant} and v.tool = ${tool} order by version desc`.execute(query);
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.getTime() }));
}
