import { z } from "zod";
import { toCodeTools } from "../catalogue/code-tools.ts";
import { ToolwrightError } from "../contract/errors.ts";
import { nearestName } from "../contract/nearest-name.ts";
import { MANAGE_CATALOGUE } from "../contract/permissions.ts";
import { cataloguePort } from "../ports/catalogue-store.ts";
import type { ToolOverride } from "../ports/tenant-tools.ts";
import { defineOperation } from "./define-operation.ts";
import { listOf } from "./json-parts.ts";
import { overrideView, removedOverrideView } from "./views/tools.ts";

const managed = { permission: MANAGE_CATALOGUE, needs: [cataloguePort] } as const;
const needs = "Needs the permission catalogue:manage.";

export const visibility = z.object({ optIn: z.boolean().optional(), feature: z.string().optional() });
export const limits = z.object({ timeoutMs: z.number().optional(), idleMs: z.number().optional(), maxOutputBytes: z.number().optional() });

const overrideMembers = {
  tool: z.string().min(1).describe("Name of a tool of code"),
  title: z.string().optional().describe("Display name"),
  description: z.string().optional().describe("For models"),
  approval: z
    .literal("always_ask", { error: "An override only narrows: it is always_ask, or left out." })
    .optional()
    .describe("always_ask: a person is asked before each call"),
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
  shell: {
    form: "tools override <tool>",
    about: "Override a built-in or file tool: title, description, limits, approval",
    options: {
      ...{ title: { clears: "clear" }, description: { clears: "clear" }, approval: { flags: "--approval <word>", clears: "clear" } },
      visibility: [
        { flags: "--feature <name>", about: "it belongs to this feature of agents", into: "feature", clears: "clear" },
        { flags: "--opt-in", about: "only tenants that enable it have it", no: "take that back", into: "optIn", clears: "clear" },
      ],
      limits: [
        { flags: "--timeout-ms <count>", about: "milliseconds in all", into: "timeoutMs", clears: "clear" },
        { flags: "--idle-ms <count>", about: "milliseconds without progress", into: "idleMs", clears: "clear" },
        { flags: "--max-output-bytes <count>", about: "bytes of a result", into: "maxOutputBytes", clears: "clear" },
      ],
      clear: false,
    },
    missing: "See them with: toolwright tools list{where}",
    nothing: 'Say what to override, as in --title "Read a page" or --approval always_ask, or --reset.',
    notes:
      "What is not named stays; an empty text takes back what was named before. Overrides of the tenant default hold for every tenant.",
    examples: ["tools override exec --approval always_ask --timeout-ms 30000"],
  },
  view: overrideView,
  async run({ clear = [], ...wanted }, { principal: { tenant, actor }, code, ports }) {
    const { custom } = await ports.catalogue.tools.rows(tenant);
    if (custom.some(({ tool }) => tool === wanted.tool)) {
      const message = `${JSON.stringify(wanted.tool)} is a tool of ${tenant} itself. Change its file and add it again: toolwright tools add FILE`;
      throw new ToolwrightError("catalogue_refused", message);
    }
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
  shell: { form: "tools override <tool>", instead: { flags: "--reset", about: "take the whole override back" } },
  view: removedOverrideView,
  async run({ tool }, { principal, ports }) {
    const { overrides } = await ports.catalogue.tools.rows(principal.tenant);
    const names = overrides.map((each) => each.tool);
    if (!names.includes(tool)) {
      const nearest = nearestName(tool, names);
      const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
      throw new ToolwrightError("catalogue_not_found", `${principal.tenant} overrides nothing of ${JSON.stringify(tool)}.${meant}`);
    }
    await ports.catalogue.tools.removeOverride(principal.tenant, tool);
    return { removed: tool };
  },
});
