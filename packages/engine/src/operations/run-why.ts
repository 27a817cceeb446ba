import { z } from "zod";
import type { StoredEvent } from "../contract/events.ts";
import type { Json, JsonObject } from "../contract/json.ts";
import { isCut } from "../gate/record-events.ts";
import { policyOf } from "../policy/policies-in-force.ts";
import { runsPort } from "../ports/run-reader.ts";
import { logPort } from "../ports/session-reader.ts";
import type { ToolRun } from "../ports/to-run.ts";
import { anyObject } from "../schema/any-json.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { time } from "./json-parts.ts";
import { positionsOf, rulePositions } from "./policy.ts";
import { getRun, listRuns, missing, requireRun } from "./runs.ts";
import { runWhyView } from "./views/runs.ts";

const word = { effect: z.enum(["allow", "ask", "deny"]), rule: z.string() };
const words = { layer: z.enum(["tool", "command", "resource"]).optional(), reason: z.string().optional() };

/** What an event holds of a decision; one that an earlier version wrote may hold less. */
const told = z.object({ ...word, ...words, revision: z.string().optional(), approval: z.string().optional(), note: z.string().optional() });

const finding = z.object({ ...word, ...words, subject: z.string().optional(), risk: z.string().optional() });

const recordedDecision = z.object({
  at: time("When it was decided"),
  ...word,
  ...words,
  revision: z.string().optional().describe("Of the policy that decided"),
  findings: z.array(finding).describe("Every part that the decision was made of, where its approval is kept and may be seen"),
});
type RecordedDecision = z.output<typeof recordedDecision>;

const explainRun = defineOperation({
  name: "runs.why",
  at: "GET /runs/{id}/why",
  title: "Explain a run",
  description:
    "Tells how a call was decided, by which rule of which policy, as the log has it: not how it would be decided now. Callers see their own calls; others need the permission log:read.",
  effect: "read",
  needs: [runsPort, logPort],
  input: z.object({ id: z.string().min(1).describe("Id of the call") }),
  output: z.object({
    tool: z.string(),
    input: anyObject("What it was called with, by its input schema, where the log holds all of it").optional(),
    decisions: z.array(recordedDecision).describe("In order: a call that asked has one before the answer and one after"),
    revision: z.string().describe("Of the policy that is in force now for the caller"),
    places: rulePositions.optional().describe("Where rules stand that the policy in force still has unchanged"),
  }),
  shell: {
    form: "runs why <id>",
    about: "Explain how a call was decided, as the log has it",
    store: true,
    missing,
    notes: "How such a call would be decided now: toolwright why <tool> [input...]\n",
    examples: ["runs why call_6fY0c2Jm"],
  },
  view: runWhyView,
  async run({ id }, context) {
    const run = await requireRun(id, context);
    const { tenant, session, tool } = run;
    const events = await context.ports.log.page({ tenant, session, call: id, output: false });
    const decisions = await Promise.all(events.flatMap((stored) => decisionIn(stored, context)));
    const revision = revisionNow(run, context);
    const unchanged = decisions.filter((each) => each.revision === revision);
    const places = positionsOf(
      unchanged.flatMap(({ rule, findings }) => [rule, ...findings.map((each) => each.rule)]),
      context,
    );
    return { tool, ...(isWhole(run.input) && { input: run.input }), decisions, revision, ...(places && { places }) };
  },
});

/** False where something of it was cut for the log. */
function isWhole(input: Json): input is JsonObject {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject && !isCut(input) && !Object.values(input).some(isCut);
}

function decisionIn({ event: { at, data } }: StoredEvent, { scope }: Pick<OperationContext, "scope">): Promise<RecordedDecision>[] {
  const { data: decided } = told.safeParse(data);
  // That a client gave no answer repeats what was asked.
  if (!decided || decided.note !== undefined) return [];
  const { approval, note: _, ...decision } = decided;
  const kept = approval === undefined ? Promise.resolve(undefined) : scope.approval(approval);
  return [
    kept.then((stored) => ({ at, ...decision, findings: (stored?.record.decision.findings ?? []).map((each) => finding.parse(each)) })),
  ];
}

function revisionNow({ tenant, caller: actor, agent }: ToolRun, { parts, principal }: Pick<OperationContext, "parts" | "principal">) {
  const asked = { tenant, actor, permissions: [], door: principal.door, ...(agent !== null && { agent }) };
  return policyOf(parts.policy(tenant), asked).revision;
}

export const runsSubject = defineSubject({
  name: "runs",
  errors: {
    run_not_found: { kind: "missing", means: "There is no such run for this principal." },
  },
  store: [runsPort],
  shell: { runs: { about: "List and show calls, one record each" } },
  operations: [listRuns, getRun, explainRun],
});
