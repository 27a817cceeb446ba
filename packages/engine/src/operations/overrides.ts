import { z } from "zod";
import { toCodeTools } from "../catalogue/code-tools.ts";
import { MANAGE_CATALOGUE } from "../contract/permissions.ts";
import type { ToolOverride } from "../ports/tenant-tools.ts";
import { defineOperation } from "./define-operation.ts";
import { listOf } from "./json-parts.ts";

const managed = { permission: MANAGE_CATALOGUE, needs: ["catalogue"] } as const;
const needs = "Needs the permission catalogue:manage.";

export const visibility = z.object({ optIn: z.boolean().optional(), feature: z.string().optional() });
export const limits = z.object({ timeoutMs: z.number().optional(), idleMs: z.number().optional(), maxOutputBytes: z.number().optional() });

const overrideMembers = {
  tool: z.string().min(1).describe("Name of a tool of code"),
  title: z.string().optional(),
  description: z.string().optional(),
  approval: z.literal("always_ask").optional(),
  visibility: visibility.optional(),
  limits: limits.optional().describe("Each no larger than the definition's"),
};

export const override = z.object(overrideMembers);

export const listOverrides = defineOperation({
  name: "overrides.list",
  at: "GET /overrides",
  title: "List overrides",
  description: `Lists what the tenant changes of tools of code. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(override),
  run: async (_, { principal, ports }) => ({ items: (await ports.catalogue.tools.rows(principal.tenant)).overrides }),
});

export const setOverride = defineOperation({
  name: "overrides.set",
  at: "PUT /overrides/{tool}",
  title: "Override a tool",
  description: `Changes a tool of code for the tenant, in place of what was said before. It narrows: what would widen is refused. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object(overrideMembers),
  output: override,
  async run(wanted, { principal: { tenant, actor }, code, ports }) {
    await ports.catalogue.tools.putOverride({ tenant, by: actor.id, code: toCodeTools(code()) }, wanted);
    return wanted;
  },
});

const parts = ["title", "description", "approval", "feature", "optIn", "timeoutMs", "idleMs", "maxOutputBytes"] as const;

export const updateOverride = defineOperation({
  name: "overrides.update",
  at: "PATCH /overrides/{tool}",
  title: "Change an override",
  description: `Changes what is named of an override, and leaves the rest; who changes it meanwhile waits. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ ...overrideMembers, clear: z.array(z.enum(parts)).optional().describe("What is not overridden any more") }),
  output: override,
  run({ clear = [], ...wanted }, { principal: { tenant, actor }, code, ports }) {
    const author = { tenant, by: actor.id, code: toCodeTools(code()) };
    return ports.catalogue.tools.changeOverride(author, wanted.tool, (current) => merge(current, wanted, clear));
  },
});

function merge(current: ToolOverride, wanted: ToolOverride, clear: readonly string[]): ToolOverride {
  const keep = <Members extends object>(both: Members) =>
    Object.fromEntries(
      Object.entries(both).filter(([member, value]) => value !== undefined && !clear.includes(member)),
    ) as Partial<Members>;
  const said = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  return {
    ...keep({ ...current, ...said }),
    tool: wanted.tool,
    visibility: keep({ ...current.visibility, ...wanted.visibility }),
    limits: keep({ ...current.limits, ...wanted.limits }),
  };
}

export const removeOverride = defineOperation({
  name: "overrides.remove",
  at: "DELETE /overrides/{tool}",
  title: "Remove an override",
  description: `Takes back what the tenant changed of a tool. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({ tool: z.string().min(1) }),
  output: z.object({ removed: z.string() }),
  async run({ tool }, { principal, ports }) {
    await ports.catalogue.tools.removeOverride(principal.tenant, tool);
    return { removed: tool };
  },
});
