import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { READ_LOG } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { maySeeSession } from "../gate/session-access.ts";
import { runsPort } from "../ports/run-reader.ts";
import { runStatuses, type ToolRun } from "../ports/to-run.ts";
import { loggedValue } from "./call-parts.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { actor, after, limitUpTo, pageOf, time } from "./json-parts.ts";
import { runsView, runView } from "./views/runs.ts";

const sources = ["web", "agent", "api", "cli", "mcp", "schedule"] as const;

const toolRun = z.object({
  id: z.string().describe("Id of the call"),
  tenant: z.string(),
  session: z.string(),
  tool: z.string(),
  parent: z.string().nullable().describe("Id of the call that made this one"),
  caller: actor,
  user: z.string().nullable(),
  agent: z.string().nullable(),
  input: loggedValue,
  output: loggedValue,
  status: z.enum(runStatuses),
  error: z.string().nullable(),
  durationMs: z.number().nullable(),
  source: z.enum(sources).nullable(),
  door: z.string(),
  startedAt: time("When it began"),
});

/** Where to look for a run that there is not. */
export const missing = "See the newest with: toolwright runs list{where}";

export const listRuns = defineOperation({
  name: "runs.list",
  at: "GET /runs",
  title: "List runs",
  description: "Lists calls of the tenant, newest first. Needs the permission log:read.",
  permission: READ_LOG,
  effect: "read",
  needs: [runsPort],
  input: z.object({
    tool: z.string().optional().describe("Only of this tool"),
    agent: z.string().optional().describe("Only of this agent"),
    source: z.enum(sources).optional(),
    user: z.string().optional().describe("Only of the person with this id"),
    door: z.string().optional().describe("Only through this door, such as mcp or form"),
    decision: z
      .enum(["allow", "ask", "deny"])
      .optional()
      .describe("What was decided first; a call that asked stays one, whatever was answered"),
    parent: z.string().optional().describe("Id of the call that made them"),
    status: z.enum(runStatuses).optional(),
    since: time("Calls that began then or later").optional(),
    after,
    limit: limitUpTo(500, 50),
  }),
  output: pageOf(toolRun),
  shell: {
    form: "runs list",
    about: "List calls, newest first",
    options: {
      tool: { flags: "--tool <name>" },
      agent: { flags: "--agent <id>" },
      status: { flags: "--status <status>" },
      source: { flags: "--source <source>" },
      user: { flags: "--user <id>" },
      door: { flags: "--door <name>" },
      decision: { flags: "--decision <effect>", about: "allow, ask or deny: what was decided first" },
      parent: { flags: "--parent <call>", about: "only calls that this call made" },
      since: { reads: "past", about: "a span (30m, 12h, 7d) or a date" },
      after: { flags: "--after <key>", about: "next page: the key that the previous page printed" },
      limit: { about: "maximum number of calls (default: 50)" },
    },
    store: true,
    examples: ["runs list --status error --since 1d"],
  },
  view: runsView,
  async run(filter, { principal, ports }) {
    const { runs, next } = await ports.runs.list({ ...filter, tenant: principal.tenant });
    return { items: runs, next };
  },
});

export const getRun = defineOperation({
  name: "runs.get",
  at: "GET /runs/{id}",
  title: "Get a run",
  description:
    "Gets one call as a record, of the principal or in a session that it may use. Others need the permission sessions:manage or log:read.",
  effect: "read",
  needs: [runsPort],
  input: z.object({ id: z.string().min(1).describe("Id of the call") }),
  output: toolRun,
  shell: { form: "runs show <id>", about: "Show a call with input and output", store: true, missing },
  view: runView,
  run: ({ id }, context) => requireRun(id, context),
});

/** Rejects with `run_not_found` for one that the principal may not see, as for one that there is not. */
export async function requireRun(
  id: string,
  { principal, parts, ports }: Pick<OperationContext<typeof runsPort>, "principal" | "parts" | "ports">,
): Promise<ToolRun> {
  const { tenant } = principal;
  const run = await ports.runs.find(tenant, id);
  if (run && maySeeRun(principal, run)) return run;
  const session = run && (await parts.sessions.find({ tenant, id: run.session }));
  if (run && session && maySeeSession(principal, session)) return run;
  throw new ToolwrightError(
    "run_not_found",
    `There is no run ${JSON.stringify(id)} for this principal. List the runs, or use the id that the call gave.`,
  );
}

function maySeeRun(principal: Principal, run: ToolRun): boolean {
  return (principal.delegated === undefined && principal.permissions.includes(READ_LOG)) || isCaller(principal, run);
}

/** Whether the principal made the call: a person who acts in the name of an agent is another caller than without. */
export function isCaller({ actor: { kind, id }, agent }: Principal, { caller, agent: inName }: Pick<ToolRun, "caller" | "agent">): boolean {
  return caller.kind === kind && caller.id === id && (kind === "agent" || (agent ?? null) === inName);
}
