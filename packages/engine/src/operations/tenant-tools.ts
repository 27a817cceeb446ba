import { z } from "zod";
import { toCodeTools } from "../catalogue/code-tools.ts";
import { ToolwrightError } from "../contract/errors.ts";
import { nearestName } from "../contract/nearest-name.ts";
import { EXPLAIN_CATALOGUE, MANAGE_CATALOGUE } from "../contract/permissions.ts";
import { cataloguePort } from "../ports/catalogue-store.ts";
import type { TenantTool } from "../ports/tenant-tools.ts";
import { anyJson } from "../schema/any-json.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { jsonSchema, listOf, time } from "./json-parts.ts";
import { limits, override, visibility } from "./overrides.ts";
import { missingTool } from "./require-tools.ts";
import { surveyed, toEntry } from "./tools.ts";
import { inspectedToolView, putToolView, toolVersionsView } from "./views/tools.ts";

const managed = { permission: MANAGE_CATALOGUE, needs: [cataloguePort] } as const;
const needs = "Needs the permission catalogue:manage.";
const needsBoth = `Needs the permissions catalogue:manage and ${EXPLAIN_CATALOGUE}.`;

const name = z.string().min(1).describe("Name of the tool");
const schema = (description: string) => jsonSchema.describe(`${description}: JSON Schema 2020-12 with an object at the top`);
const execution = anyJson("How it runs, in the words of the executor: another program reads it");

const members = {
  tool: name,
  group: z.string(),
  description: z.string().describe("How to use it, for a model"),
  inputSchema: schema("Of the input"),
  outputSchema: schema("Of the output"),
  permission: z.string().optional(),
  visibility: visibility.optional(),
  limits: limits.optional(),
};

const stored = {
  ...members,
  title: z.string(),
  approval: z.enum(["auto", "always_ask"]),
  execution,
};

const tenantTool = z.object(stored);
const listedTool = z.object({
  ...stored,
  problem: z.string().optional().describe("Why nobody can call it: what in its row has to change"),
});

const listTenantTools = defineOperation({
  name: "tools.own",
  at: "GET /tenant-tools",
  title: "List the tenant's own tools",
  description: `Lists tools that the tenant wrote itself. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(listedTool),
  async run(_, { principal: { tenant }, code, ports }) {
    const { checkOwn } = toCodeTools(code());
    const { custom } = await ports.catalogue.tools.rows(tenant);
    return { items: custom.map((tool) => ({ ...tool, ...problemOf(() => checkOwn(tenant, tool)) })) };
  },
});

function problemOf(check: () => void): { readonly problem?: string } {
  try {
    check();
    return {};
  } catch (error) {
    if (ToolwrightError.is(error)) return { problem: error.message };
    throw error;
  }
}

const inspectTool = defineOperation({
  name: "tools.inspect",
  at: "GET /survey/{tool}",
  title: "Inspect a tool",
  description: `Gets a tool as the tenant has it, hidden or not, with what the tenant changed of it or wrote itself. ${needsBoth}`,
  ...managed,
  effect: "read",
  input: z.object({ tool: name }),
  output: surveyed.extend({
    override: override.optional().describe("What the tenant overrides of a tool of code"),
    own: tenantTool.optional().describe("How the tenant wrote a tool of its own"),
  }),
  shell: { form: "tools show <tool>", about: "Show a tool as the tenant has it, also when it is hidden" },
  view: inspectedToolView,
  async run({ tool: wanted }, { principal: { tenant, actor, permissions }, scope, code, ports }) {
    if (!permissions.includes(EXPLAIN_CATALOGUE)) {
      const message = `The ${actor.kind} ${JSON.stringify(actor.id)} may not inspect tools. Ask somebody with the permission ${EXPLAIN_CATALOGUE}.`;
      throw new ToolwrightError("operation_not_allowed", message);
    }
    const all = scope.survey();
    const found = all.find(({ tool }) => tool.name === wanted);
    const { custom, overrides } = await ports.catalogue.tools.rows(tenant);
    const own = custom.find(({ tool }) => tool === wanted);
    if (found) return { ...toEntry(found, scope), override: overrides.find(({ tool }) => tool === wanted), own };
    const { problem } = own ? problemOf(() => toCodeTools(code()).checkOwn(tenant, own)) : {};
    if (problem !== undefined) throw new ToolwrightError("tool_not_found", `Tool ${JSON.stringify(wanted)} is left out. ${problem}`);
    throw missingTool(
      wanted,
      all.map(({ tool }) => tool.name),
    );
  },
});

const putTenantTool = defineOperation({
  name: "tools.put",
  at: "PUT /tenant-tools/{tool}",
  title: "Put a tool of the tenant's own",
  description: `Adds a tool of the tenant's own, or puts it in the place of the one of that name. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({
    ...members,
    group: z.string().optional().describe("Default: custom"),
    title: z.string().optional().describe("Default: like the tool"),
    approval: z.enum(["auto", "always_ask"]).optional().describe("Default: auto"),
    execution: execution.optional(),
  }),
  output: z.object({ tool: tenantTool, version: z.int().describe("Of its schemas") }),
  shell: {
    form: "tools add <file>",
    about: "Add or change a tenant's own tool from YAML or JSON; - reads stdin",
    document: { word: "file", names: { tool: "name" } },
    notes: `A file:
  name: quote
  description: Makes a quote for a customer.
  inputSchema: { type: object, properties: { euros: { type: number } }, required: [euros], additionalProperties: false }
  outputSchema: { type: object, properties: { text: { type: string } }, required: [text], additionalProperties: false }

Beside that: title, group, approval, permission, visibility, limits, execution.`,
  },
  view: putToolView,
  async run({ group = "custom", title, approval = "auto", execution = null, ...rest }, { principal: { tenant, actor }, code, ports }) {
    const tool: TenantTool = { ...rest, group, title: title ?? rest.tool, approval, execution };
    await ports.catalogue.tools.putOwn({ tenant, by: actor.id, code: toCodeTools(code()) }, tool);
    const [latest] = await ports.catalogue.tools.versions(tenant, tool.tool);
    return { tool, version: latest?.version ?? 1 };
  },
});

const removeTenantTool = defineOperation({
  name: "tools.remove",
  at: "DELETE /tenant-tools/{tool}",
  title: "Remove a tool of the tenant's own",
  description: `Removes a tool of the tenant's own, and what enabled it. The versions of its schemas stay. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({ tool: name }),
  output: z.object({ removed: z.string() }),
  shell: { form: "tools remove <tool>", about: "Remove a tenant's own tool and its settings" },
  view: { note: "{removed} is gone, and what enabled it. toolwright tools versions {removed} keeps showing its schemas.", always: true },
  async run({ tool }, context) {
    const { principal, ports } = context;
    await requireOwn(tool, context);
    await ports.catalogue.tools.removeOwn(principal.tenant, tool);
    return { removed: tool };
  },
});

const schemaVersion = z.object({
  version: z.int(),
  inputHash: z.string(),
  outputHash: z.string(),
  inputSchema: jsonSchema,
  outputSchema: jsonSchema,
  createdAt: time("When it was put"),
  createdBy: z.string(),
});

const toolVersions = defineOperation({
  name: "tools.versions",
  at: "GET /tenant-tools/{tool}/versions",
  title: "List versions of a tool's schemas",
  description: `Lists the schemas that a tool of the tenant's own had, newest first, also of one that is gone. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ tool: name }),
  output: listOf(schemaVersion),
  shell: { form: "tools versions <tool>", about: "List the schema versions of a tenant's own tool" },
  view: toolVersionsView,
  async run({ tool }, context) {
    const items = await context.ports.catalogue.tools.versions(context.principal.tenant, tool);
    if (items.length === 0) await requireOwn(tool, context);
    return { items };
  },
});

/** Rejects with `catalogue_not_found`, and says what there is in its place. */
async function requireOwn(wanted: string, { principal: { tenant }, code, ports }: OperationContext<typeof cataloguePort>): Promise<void> {
  const { custom } = await ports.catalogue.tools.rows(tenant);
  const names = custom.map(({ tool }) => tool);
  if (names.includes(wanted)) return;
  const quoted = JSON.stringify(wanted);
  const taken = code().find(wanted);
  const nearest = nearestName(wanted, names);
  const reason = taken
    ? `${quoted} comes with the code, from ${taken.origin.source}, and is no tool of ${tenant} itself.`
    : `${tenant} has no tool ${quoted} of its own.`;
  const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  throw new ToolwrightError("catalogue_not_found", `${reason}${meant}${names.length === 0 ? "" : ` It has: ${names.join(", ")}.`}`);
}

export const tenantToolsSubject = defineSubject({
  name: "tenantTools",
  operations: [inspectTool, listTenantTools, putTenantTool, removeTenantTool, toolVersions],
});
