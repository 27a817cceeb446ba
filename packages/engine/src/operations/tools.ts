import { z } from "zod";
import { presentationSchema } from "../catalogue/presentation-schema.ts";
import { ToolwrightError } from "../contract/errors.ts";
import { foreignKinds } from "../contract/foreign.ts";
import { nearestName } from "../contract/nearest-name.ts";
import { EXPLAIN_CATALOGUE, MANAGE_TENANTS } from "../contract/permissions.ts";
import type { PossibleChange } from "../contract/possible-change.ts";
import { catalogueMissing } from "../ports/catalogue-store.ts";
import { sharerOf } from "../ports/fair-pool.ts";
import { toolSyncPort } from "../ports/tool-sync.ts";
import { anyJson, anyObject } from "../schema/any-json.ts";
import type { Scope, SurveyedTool, ToolView } from "../scope-types.ts";
import type { Effects } from "../tool/effects.ts";
import { possibleChange } from "./call-parts.ts";
import { type Answer, defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { jsonSchema, limitUpTo, listOf } from "./json-parts.ts";
import { seenByAgent } from "./seen-by-agent.ts";
import { reportTools, requireTool, toolSchema } from "./tool-schemas.ts";
import { syncedToolsView } from "./views/tool-sync.ts";
import { listedToolsView, surveyView } from "./views/tools.ts";

const hosts = z.object({ access: z.enum(["read", "write"]), hosts: z.array(z.string()) });
const effects: z.ZodType<Effects> = z
  .object({
    files: z.enum(["read", "write"]).exactOptional(),
    exec: z.enum(["watch", "manage", "run"]).exactOptional(),
    http: z.union([z.enum(["read", "write"]), hosts]).exactOptional(),
    git: z.literal("clone").exactOptional(),
    model: z.literal("run").exactOptional(),
    secrets: z.array(z.string()).exactOptional().describe("Names"),
    tools: z.array(z.string()).exactOptional().describe("Names and `group:` handles of what it calls; `*` for every tool"),
    destructive: z.boolean().exactOptional().describe("What it does cannot be undone"),
    idempotent: z.boolean().exactOptional().describe("Doing it twice is the same as doing it once"),
  })
  .catchall(anyJson("The level of a capability that a package adds"))
  .describe("What it may reach, by capability");

const tool = z.object({
  name: z.string(),
  title: z.string(),
  group: z.string(),
  icon: z.string().optional(),
  description: z.string().describe("How to use it, for a model"),
  inputSchema: jsonSchema,
  outputSchema: jsonSchema,
  effects: effects,
  hints: z
    .object({ readOnlyHint: z.boolean(), destructiveHint: z.boolean(), idempotentHint: z.boolean(), openWorldHint: z.boolean() })
    .describe("What its effects come to, in the words of MCP"),
  examples: z.array(z.object({ label: z.string(), input: anyObject("By the input schema") })),
  hash: z.string().describe("Of its definition and code"),
  origin: z
    .object({
      kind: z.enum(["builtin", "pack", "embedder", "tenant"]),
      source: z.string().describe("The file, or the name that the embedder gave"),
      executes: z.string().exactOptional().describe("Digest of what it executes, where that is not the text of its code"),
    })
    .describe("Where it comes from"),
  approval: z.enum(["auto", "always_ask"]),
  permission: z.string().optional(),
  limits: z
    .object({
      timeoutMs: z.number().exactOptional().describe("Milliseconds in all"),
      idleMs: z.number().exactOptional().describe("Milliseconds without progress or output"),
      maxOutputBytes: z.number().exactOptional().describe("Bytes of JSON that a result may hold"),
    })
    .describe("Those of its definition; what is left out is usual"),
  secrets: z.array(z.string()).describe("Names of the secrets that it may read"),
  aliases: z.record(z.string(), z.string()).describe("Members of the input by other names that it takes for them"),
  foreign: z.enum(foreignKinds).optional().describe("Where its output comes from, when nobody here wrote it"),
  presentation: presentationSchema.describe("How people meet it"),
});

/** A tool as JSON: what doors and pages show of it. */
export type ToolSummary = Answer<z.output<typeof tool>>;

const name = z.string().min(1).describe("Name of the tool");

const listed = tool.extend({
  decision: z
    .object({ effect: z.enum(["allow", "ask", "deny"]), rule: z.string(), reason: z.string() })
    .optional()
    .describe("What the policy says of the tool before an input is known; only where decisions were asked for"),
  depends: z.boolean().optional().describe("Whether a call runs depends on its input, too"),
});

const usualFound = 10;
const mostFound = 50;
const search = z.string().min(1).max(500);

const ranking = z.object({
  by: z.array(z.enum(["text", "vectors"])).describe("What took part in the order"),
  model: z.string().optional().describe("Of the vectors"),
  languages: z.array(z.string()).optional().describe("What the model understands, as BCP 47 tags"),
  reason: z.string().optional().describe("Why vectors took no part"),
});

const searchFor = (
  { query, limit }: { readonly query: string; readonly limit: number },
  tools: readonly ToolView[],
  { principal, parts, signal }: Pick<OperationContext, "principal" | "parts" | "signal">,
) => parts.searchTools(query, tools, { limit, sharer: sharerOf(principal), signal });

const listTools = defineOperation({
  name: "tools.list",
  at: "GET /tools",
  title: "List tools",
  description:
    "Lists the tools that the principal may use, by name, or best first those that do what is searched. For another agent it needs the permission catalogue:explain.",
  effect: "read",
  input: z.object({
    decisions: z.boolean().optional().describe("Also what the policy says of each before its input is known"),
    group: z.string().optional().describe("Only tools of this group"),
    search: search.optional().describe(`Only tools that do this, best first, ${mostFound} at most; in whichever words`),
    agent: z.string().min(1).optional().describe("As they are for this agent"),
  }),
  output: z.object({ items: z.array(listed), ranking: ranking.optional().describe("Only of a search") }),
  shell: {
    form: "list",
    about: "List the tools that you may use",
    options: {
      decisions: false,
      group: { flags: "--group <name>", about: "only tools of this group" },
      search: { flags: "--search <words>", about: "only tools that do this, best first: say it in your own words" },
      agent: { flags: "--agent <id>", about: "tools that this agent can use under its policy" },
    },
    examples: ["list", "list --group fs --json", 'list --search "put a file in the cloud"'],
  },
  view: listedToolsView,
  async run({ decisions = false, group, search: query, agent }, context) {
    const scope = seenByAgent(agent, context);
    const all = group === undefined ? scope.list() : toolsOf(group, scope.list());
    const found = query === undefined ? undefined : await searchFor({ query, limit: mostFound }, all, context);
    const tools = found ? found.items.flatMap(({ name: each }) => all.find((view) => view.name === each) ?? []) : all;
    const items = tools.map((view) => Object.assign(toSummary(view), decisions && decidedSoFar(scope, view.name)));
    return { items, ...(found && { ranking: found.ranking }) };
  },
});

/** Rejects with `invalid_input` for a group that has none, and says which there are. */
function toolsOf(group: string, tools: readonly ToolView[]): readonly ToolView[] {
  const found = tools.filter((tool) => tool.group === group);
  if (found.length > 0) return found;
  const groups = [...new Set(tools.map((tool) => tool.group))];
  const nearest = nearestName(group, groups);
  const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  throw new ToolwrightError("invalid_input", `There is no group ${JSON.stringify(group)}.${meant} Groups: ${groups.join(", ")}.`);
}

function decidedSoFar(scope: Scope, wanted: string): Pick<Answer<z.output<typeof listed>>, "decision" | "depends"> {
  const { decision, dependsOn = [] } = scope.why(wanted);
  if (!decision) return {};
  const { effect, rule, reason } = decision;
  return { decision: { effect, rule, reason }, depends: dependsOn.length > 0 };
}

const getTool = defineOperation({
  name: "tools.get",
  at: "GET /tools/{name}",
  title: "Get a tool",
  description: "Gets a tool with its schemas, effects and examples. A tool that the principal may not use answers as a missing one.",
  effect: "read",
  input: z.object({ name }),
  output: tool,
  run: async ({ name: wanted }, context) => toSummary(requireTool(wanted, context)),
});

const searchTools = defineOperation({
  name: "tools.search",
  at: "GET /search",
  title: "Search tools",
  description: "Finds tools that the principal may use by words and by meaning, best first, and says what took part in the order.",
  effect: "read",
  input: z.object({
    query: search.describe("What the tool is to do"),
    limit: limitUpTo(mostFound, usualFound),
  }),
  output: z.object({
    items: z.array(z.object({ name: z.string(), title: z.string(), score: z.number().describe("From 0 to 1") })),
    ranking,
  }),
  run: ({ query, limit = usualFound }, context) => searchFor({ query, limit }, context.scope.list(), context),
});

/** What is worked out when it is read stays so: a list of names asks for no schemas. */
function toSummary(view: ToolView): ToolSummary {
  const { input: _, output: __, ...members } = Object.getOwnPropertyDescriptors(view);
  return Object.defineProperties({} as ToolSummary, members);
}

/** A tool as an operator sees it, hidden or not. */
export interface SurveyEntry {
  readonly tool: ToolSummary;
  readonly visible: boolean;
  /** `visible`, `denied by the policy`, `misconfigured`, or `hidden` with the check that hides it. */
  readonly state: string;
  /** The check that decided. */
  readonly check?: string | undefined;
  readonly reason: string;
  /** What enables it for the agent: `manual`, `default`, or `skill` with its name. Empty where nothing does, and without an agent. */
  readonly enabledBy: readonly string[];
  /** Names of the secrets that must be set; empty where something else hides the tool. */
  readonly missingSecrets: readonly string[];
  /** What would let the check pass that hides the tool; absent where none does. */
  readonly change?: PossibleChange | undefined;
}

export const surveyed = z.object({
  tool,
  visible: z.boolean(),
  state: z.string().describe("Visible, or what hides it"),
  check: z.string().optional().describe("The check that decided"),
  reason: z.string(),
  enabledBy: z
    .array(z.string())
    .describe("What enables it for the agent: manual, default, or skill with its name; empty where nothing does, and without an agent"),
  missingSecrets: z.array(z.string()).describe("Names of the secrets that must be set; empty where something else hides the tool"),
  change: possibleChange.optional().describe("What would let the check pass that hides the tool"),
});

const surveyTools = defineOperation({
  name: "tools.survey",
  at: "GET /survey",
  title: "Survey tools",
  description:
    "Lists all tools, hidden ones too, with what shows or hides each from the principal, or from an agent. Needs the permission catalogue:explain.",
  permission: EXPLAIN_CATALOGUE,
  effect: "read",
  input: z.object({
    agent: z.string().min(1).optional().describe("As they are for this agent"),
    stored: z.boolean().optional().describe("True: an agent that is not stored is refused, and not taken for one that nothing restricts"),
    tool: z.string().min(1).optional().describe("Only this one"),
  }),
  output: listOf(surveyed),
  shell: {
    form: "tools list",
    about: "List all tools, including hidden ones, with what enables or hides each",
    options: { agent: { flags: "--agent <id>", about: "for this agent (default: for the whole tenant)" }, tool: false },
    gives: { stored: true },
    examples: ["tools list --agent reviewer"],
  },
  view: surveyView,
  async run({ agent, stored = false, tool: only }, { scope, scopeAs, principal, parts }) {
    const known = stored ? parts.visibility.agents?.(principal.tenant) : undefined;
    if (agent !== undefined && known && !known.includes(agent)) throw catalogueMissing("agent", agent, known);
    const seen = agent === undefined ? scope : scopeAs(agent);
    const all = seen.survey();
    return { items: all.filter(({ tool: { name: each } }) => only === undefined || each === only).map((each) => toEntry(each, seen)) };
  },
});

/** What an operator is told of a tool. */
export function toEntry({ tool: view, admission, enabledBy }: SurveyedTool, scope: Scope): SurveyEntry {
  const last = admission.admitted ? admission.checks.find(({ check }) => check === "agent_enablement") : admission.checks.at(-1);
  const visible = scope.find(view.name) !== undefined;
  const { missingSecrets = [], change } = admission;
  const state = stateOf(admission, visible);
  return { tool: toSummary(view), visible, state, check: last?.check, reason: last?.reason ?? "", enabledBy, missingSecrets, change };
}

function stateOf({ admitted, checks, missingSecrets, missing }: SurveyedTool["admission"], visible: boolean): string {
  if (admitted) return visible ? "visible" : "denied by the policy";
  if (missingSecrets ?? missing) return "misconfigured";
  return `hidden (${(checks.at(-1)?.check ?? "unknown").replaceAll("_", " ")})`;
}

const names = z.array(z.string());

const syncTools = defineOperation({
  name: "tools.sync",
  at: "POST /tools/sync",
  title: "Sync tools",
  description:
    "Updates the store to the tools of code that this process has, for before a deployment, or after one that no server followed. A server does so by itself. Needs whoever runs it, with the permission tenants:manage.",
  permission: MANAGE_TENANTS,
  onlyPeople: true,
  effect: "write",
  needs: [toolSyncPort],
  input: z.object({}),
  output: z.object({
    added: names,
    changed: names,
    removed: z.array(
      z.object({
        tool: z.string(),
        renamedTo: z.string().optional().describe("A newer tool with the same definition"),
        lost: z
          .array(
            z.object({
              tenant: z.string(),
              agent: z.string().optional().describe("Without it, the tenant had opted in"),
              source: z.enum(["manual", "default", "skill", "tenant"]),
              skill: z.string().optional(),
            }),
          )
          .describe("What was enabled and is no more"),
      }),
    ),
    held: z
      .array(z.object({ tool: z.string(), by: names.describe("Other processes that serve it, or did lately") }))
      .describe("Not here, and kept"),
  }),
  shell: { form: "tools sync", about: "Update the store to the tools of this process, and report who lost which tool", tenantless: true },
  view: syncedToolsView,
  run: (_, { ports: { toolSync } }) => toolSync.sync(),
});

export const toolsSubject = defineSubject({
  name: "tools",
  permissions: [{ name: EXPLAIN_CATALOGUE, about: "be told why a tool is hidden, list all tools, and see where a rule stands" }],
  store: [toolSyncPort],
  shell: { tools: { about: "Manage who has which tools" } },
  operations: [listTools, searchTools, getTool, toolSchema, reportTools, surveyTools, syncTools],
});
