import type { CompiledTool } from "./catalogue/compile-tool.ts";
import { EXPLAIN_CATALOGUE } from "./contract/permissions.ts";
import type { Principal } from "./contract/principal.ts";
import { findShown, listShown } from "./gate/approvals/approval-access.ts";
import { noteUnanswered } from "./gate/approvals/note-unanswered.ts";
import { resumeCall } from "./gate/approvals/resume-call.ts";
import { judgeElsewhere, noteElsewhere } from "./gate/elsewhere/judge-elsewhere.ts";
import { explainCall, explainOnMachine } from "./gate/explain-call.ts";
import { findFollowed, followCall, resumeFollowed, withdrawCall } from "./gate/follow-call.ts";
import { passGate } from "./gate/gate.ts";
import type { GateParts } from "./gate/gate-parts.ts";
import { listGrants } from "./gate/grants/manage-grants.ts";
import { offerRemember, proposeGrant } from "./gate/grants/remember-offer.ts";
import type { InvokeOptions } from "./gate/invoke-options.ts";
import { admitCaller, hideGiven, isCallerAdmitted, schemaContextOf } from "./gate/prepare-call.ts";
import { prepareToRun } from "./gate/prepare-to-run.ts";
import { listOwnArtifacts, readOwnArtifact } from "./gate/session-access.ts";
import { cancelTree } from "./gate/tree/cancel-tree.ts";
import { ownSubjects } from "./operations/join-subjects.ts";
import type { OperationName, OperationTypes } from "./operations/operation-types.ts";
import { runOperation } from "./operations/run-operation.ts";
import { makeChild } from "./policy/ceiling/ceiling-child.ts";
import { policyOf } from "./policy/policies-in-force.ts";
import type { SurveyedTool, ToolView, TypedScope } from "./scope-types.ts";
import type { AnyTool } from "./tool/define-tool.ts";
import type { ToolTypes } from "./tool/tool-types.ts";

const noOptions = {};

/** The catalogue as this principal may see it. */
export function createScope<Types extends ToolTypes>(principal: Principal, session: string, parts: GateParts): TypedScope<Types> {
  const isListed = (tool: CompiledTool) =>
    isCallerAdmitted(tool, principal, parts) &&
    policyOf(parts.policy(principal.tenant), principal).decideTool(tool.facts).effect !== "deny";
  const call = (name: string, input: unknown, options: InvokeOptions = noOptions) =>
    passGate({ id: parts.ids.next("call"), principal, session, name, input, options }, parts);
  // What changes something leaves the trace that it leaves at every other door.
  const change = <Name extends OperationName>(name: Name, input: OperationTypes[Name]["input"]) =>
    runOperation({
      subjects: ownSubjects,
      name,
      input,
      scope,
      scopeAs: (agent) => createScope({ ...principal, agent }, session, parts),
      code: () => parts.snapshot(principal.tenant),
      parts,
      administration: {},
      signal: undefined,
    }) as Promise<OperationTypes[Name]["output"]>;
  const scope: TypedScope<Types> = {
    principal,
    session,
    list: () =>
      parts
        .snapshot(principal.tenant)
        .tools.filter(isListed)
        .map((tool) => listTool(tool, principal, parts)),
    find(name) {
      const tool = parts.snapshot(principal.tenant).find(name);
      return tool && isListed(tool) ? viewTool(tool, principal, parts) : undefined;
    },
    survey: () => (principal.permissions.includes(EXPLAIN_CATALOGUE) ? surveyAll(principal, parts) : []),
    why: (name, input) => explainCall({ principal, session, name, input }, parts),
    explain: (name, input) => explainOnMachine({ principal, session, name, input }, parts),
    // The schemas of the tool check what the types promise.
    invoke: call as TypedScope<Types>["invoke"],
    invokeNamed: call,
    prepare: (name, input, options) => prepareToRun({ id: parts.ids.next("call"), principal, session, name, input }, options, parts),
    judge: (name, input, options) => judgeElsewhere({ principal, session, name, input }, options, parts),
    noteEnding: (name, ending) => noteElsewhere({ principal, session, name }, ending, parts),
    resume: (approvalId, options = noOptions) => resumeCall({ principal, session, approvalId, options }, parts),
    hideInput: (name, input) => hideGiven(principal, { name, input }, parts),
    hasSensitiveOutput: (name) => parts.snapshot(principal.tenant).find(name)?.output.sensitive !== undefined,
    cancel: (callId, reason = "The call was cancelled while it waited.") => cancelTree(principal, callId, { reason, parts }),
    follow: (key, following) => followCall({ principal, session, key }, following, parts),
    followed: (key) => findFollowed({ principal, session, key }, parts),
    resumeFollowed: (followed, options = noOptions) => resumeFollowed({ principal, session }, { followed, options }, parts),
    withdraw: (key, reason) => withdrawCall({ principal, session, key }, reason, parts),
    approval: (approvalId) => findShown(principal, approvalId, parts),
    approvals: () => listShown(principal, parts),
    async answer(id, outcome) {
      await change("approvals.answer", { id, outcome });
    },
    noteUnanswered: (approvalId, note) => noteUnanswered(principal, approvalId, { note, parts }),
    grants: () => listGrants(principal, parts),
    proposeGrant: (approvalId) => proposeGrant(principal, approvalId, parts),
    offerRemember: (approvalId) => offerRemember(principal, approvalId, parts),
    grant: (wanted) => change("grants.create", { ...wanted, allows: [...wanted.allows] }),
    async revokeGrant(id) {
      await change("grants.revoke", { id });
    },
    child: (options) => createScope(makeChild(principal, options), session, parts),
    readArtifact: (id, range) => readOwnArtifact(principal, id, { range, parts }),
    artifacts: () => listOwnArtifacts(principal, session, parts),
  };
  return scope;
}

function surveyAll(principal: Principal, parts: GateParts): readonly SurveyedTool[] {
  const { tenant, agent } = principal;
  const rowOf = (tool: string) => (agent === undefined ? undefined : parts.visibility.agentTool?.(tenant, agent, tool));
  return parts
    .snapshot(tenant)
    .tools.filter((tool) => isOfRuntime(tool, principal))
    .map((tool) => ({
      tool: listTool(tool, principal, parts),
      admission: admitCaller(tool, principal, parts),
      enabledBy: rowOf(tool.name)?.enabledBy ?? [],
    }));
}

/** Which other agents an agent calls is for operators to say, who are in no turn. */
function isOfRuntime({ definition: { visibility = {} } }: CompiledTool, { harness = [] }: Principal): boolean {
  const { harness: needed, agentChannel } = visibility;
  return needed === undefined || agentChannel === true || harness.includes(needed);
}

/** One for all: doors keep what they wrote for a tool while its parts are the same. */
const noExamples: ToolView["examples"] = [];

/** Builds the members of a tool view that do not depend on the compiled schemas. */
function headOf({ name, title, group, effects, hints, origin, definition, facts }: CompiledTool, principal: Principal, parts: GateParts) {
  const { examples = noExamples, permission, limits = {}, aliases = {}, foreign } = definition;
  const description = describeFor(definition, principal, parts);
  const { approval } = facts;
  const { secrets = [] } = effects;
  return {
    name,
    title,
    group,
    description,
    effects,
    hints,
    examples,
    origin,
    approval,
    permission,
    limits,
    secrets,
    aliases,
    foreign: foreign?.kind,
  };
}

function viewTool(tool: CompiledTool, principal: Principal, parts: GateParts): ToolView {
  const input = tool.input(schemaContextOf(principal));
  const { hash, definition, output, presentation } = tool;
  const { icon = presentation.icon } = definition;
  return {
    ...headOf(tool, principal, parts),
    icon,
    inputSchema: input.json,
    unionSchema: input.union,
    declaredSchema: input.declared,
    outputSchema: output.json,
    input: input.standard,
    output: output.standard,
    hash,
    presentation: { ...presentation, ...(icon !== undefined && { icon }) },
  };
}

/** Builds a tool view for a list. Compiles the schemas, and what depends on them, when one of these members is first read. */
function listTool(tool: CompiledTool, principal: Principal, parts: GateParts): ToolView {
  let made: ToolView | undefined;
  const whole = () => {
    made ??= viewTool(tool, principal, parts);
    return made;
  };
  return {
    ...headOf(tool, principal, parts),
    get icon() {
      return tool.definition.icon ?? whole().icon;
    },
    get inputSchema() {
      return whole().inputSchema;
    },
    get unionSchema() {
      return whole().unionSchema;
    },
    get declaredSchema() {
      return whole().declaredSchema;
    },
    get outputSchema() {
      return whole().outputSchema;
    },
    get input() {
      return whole().input;
    },
    get output() {
      return whole().output;
    },
    get hash() {
      return tool.hash;
    },
    get presentation() {
      return whole().presentation;
    },
  };
}

function describeFor({ description, policyNote }: AnyTool, principal: Principal, parts: GateParts): string {
  if (!policyNote) return description;
  return `${description} ${policyNote({ sandbox: policyOf(parts.policy(principal.tenant), principal).sandbox })}`;
}
