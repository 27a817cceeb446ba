import type { PossibleChange } from "../contract/possible-change.ts";
import type { Principal } from "../contract/principal.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import type { SecretStore } from "../ports/secret-store.ts";
import type { AgentToolRow, VisibilityFacts } from "../ports/visibility-facts.ts";
import type { CompiledTool } from "./compile-tool.ts";

/** What admission needs to know beside the tool and the principal. */
export interface AdmissionFacts {
  readonly visibility: VisibilityFacts;
  readonly secrets: Pick<SecretStore, "has">;
  /** Those of the process, which may lack something that their tools need. */
  readonly capabilities?: ReadonlyMap<string, CapabilityProvider>;
}

/** One check and its answer, in a sentence. */
export interface AdmissionCheck {
  readonly check: string;
  readonly passed: boolean;
  readonly reason: string;
}

export interface Admission {
  readonly admitted: boolean;
  /** The checks in order, up to the first that failed. */
  readonly checks: readonly AdmissionCheck[];
  /** What would let the check pass that failed. */
  readonly change?: PossibleChange;
  /** Names of the secrets that must be set, where nothing else hides the tool. */
  readonly missingSecrets?: readonly string[];
  /** What a capability lacks, in a sentence, where nothing before it hides the tool. */
  readonly missing?: string;
}

interface Question {
  readonly tool: CompiledTool;
  readonly principal: Principal;
  readonly facts: AdmissionFacts;
}

/** A condition and the sentence that explains how it came out. */
interface Check {
  readonly name: string;
  readonly passes: (question: Question) => boolean;
  readonly explain: (question: Question, passed: boolean) => string;
  readonly change: (question: Question) => PossibleChange;
  readonly lacks?: (question: Question) => Pick<Admission, "missingSecrets" | "missing">;
}

/** In the order of design: the first that fails hides the tool. */
const checks: readonly Check[] = [
  {
    name: "tenant_allow_list",
    passes: ({ tool, principal }) => tool.definition.visibility?.tenants?.includes(principal.tenant) ?? true,
    explain({ tool, principal }) {
      const tenants = tool.definition.visibility?.tenants;
      if (!tenants) return "The definition names no tenants, so every tenant may have it.";
      return `The definition is for tenants ${tenants.join(", ")}; this is "${principal.tenant}".`;
    },
    change: ({ principal }) => ({ kind: "definition", text: `Name the tenant "${principal.tenant}" in the tool's definition.` }),
  },
  {
    name: "tenant_row",
    passes({ tool, principal, facts }) {
      const row = facts.visibility.tenantRow(principal.tenant, tool.name);
      return tool.definition.visibility?.optIn ? row === "on" : row !== "off";
    },
    explain({ tool }, passed) {
      if (tool.definition.visibility?.optIn)
        return passed ? "The tenant opted in." : "The tool is opt-in and the tenant has not switched it on.";
      return passed ? "The tenant has not switched it off." : "The tenant switched it off.";
    },
    change: () => ({ kind: "catalogue", text: "Switch the tool on for the tenant." }),
  },
  {
    name: "agent_enablement",
    passes: (question) => agentRow(question)?.enabled ?? !needsRow(question),
    explain(question, passed) {
      const { agent } = question.principal;
      if (agent === undefined) return "No agent is involved.";
      if (!hasRows(question.tool)) return "Harness tools are not enabled by rows.";
      const row = agentRow(question);
      if (!row && !passed) return `Agent "${agent}" has no row for that agent. Enable the tool on the agent.`;
      if (!row) return `Agent "${agent}" is not restricted to a list of tools.`;
      if (row.reason !== undefined) return row.reason;
      return passed ? `It is enabled for agent "${agent}".` : `It is not enabled for agent "${agent}". Enable it on the agent.`;
    },
    change: ({ principal }) => ({ kind: "catalogue", text: `Enable the tool for agent "${principal.agent}".` }),
  },
  {
    name: "feature",
    passes({ tool, principal: { tenant, agent, attributes = {} }, facts }) {
      const feature = tool.definition.visibility?.feature;
      if (feature === undefined) return true;
      if (Object.hasOwn(attributes, feature) && attributes[feature] === false) return false;
      return agent === undefined || facts.visibility.agentFeature?.(tenant, agent, feature) !== false;
    },
    explain({ tool }, passed) {
      const feature = tool.definition.visibility?.feature;
      if (!feature) return "It belongs to no feature that can be switched off.";
      return `The feature "${feature}" is ${passed ? "not " : ""}switched off.`;
    },
    change: ({ tool }) => ({ kind: "catalogue", text: `Switch on the feature "${tool.definition.visibility?.feature}".` }),
  },
  {
    name: "permission",
    passes: ({ tool, principal }) => tool.definition.permission === undefined || principal.permissions.includes(tool.definition.permission),
    explain({ tool }, passed) {
      const { permission } = tool.definition;
      if (!permission) return "It needs no permission.";
      return passed ? `The principal has "${permission}".` : `It needs the permission "${permission}".`;
    },
    change: ({ tool }) => ({ kind: "permission", text: `Give the caller a role with the permission "${tool.definition.permission}".` }),
  },
  {
    name: "secrets",
    passes: (question) => missingSecrets(question).length === 0,
    explain(question, passed) {
      if (!passed) return `It is misconfigured: set the secret ${missingSecrets(question).join(", ")}.`;
      return question.tool.effects.secrets ? "Its secrets are set." : "It needs no secrets.";
    },
    change: (question) => ({ kind: "secret", text: `Set the secret ${missingSecrets(question).join(", ")}.` }),
    lacks: (question) => ({ missingSecrets: missingSecrets(question) }),
  },
  {
    name: "capability",
    passes: (question) => missingOf(question) === undefined,
    explain: (question) => missingOf(question)?.reason ?? "What it works with is there.",
    change: (question) => missingOf(question)?.change ?? { kind: "definition", text: "Provide its capabilities." },
    lacks: (question) => ({ missing: missingOf(question)?.reason ?? "" }),
  },
  {
    name: "harness",
    passes({ tool, principal }) {
      const harness = tool.definition.visibility?.harness;
      return harness === undefined || principal.harness?.includes(harness) === true;
    },
    explain({ tool }, passed) {
      const harness = tool.definition.visibility?.harness;
      if (!harness) return "It is not bound to one runtime.";
      return passed ? `The runtime admits "${harness}".` : `Only a runtime that admits "${harness}" has it.`;
    },
    change: ({ tool }) => ({ kind: "definition", text: `Call it from a runtime that admits "${tool.definition.visibility?.harness}".` }),
  },
  {
    name: "agent_channel",
    passes({ tool, principal, facts }) {
      if (!tool.definition.visibility?.agentChannel) return true;
      return facts.visibility.acceptsAgentChannel(principal.tenant, tool.name.replace(/^agent[:_-]/, ""));
    },
    explain({ tool }, passed) {
      if (!tool.definition.visibility?.agentChannel) return "It is not reached through the agent channel.";
      return passed ? "The target accepts the agent channel." : "The target does not accept the agent channel.";
    },
    change: () => ({ kind: "catalogue", text: "Let the target accept the agent channel." }),
  },
];

/** Says whether the principal may see and call the tool, and why. */
export function admit(tool: CompiledTool, principal: Principal, facts: AdmissionFacts): Admission {
  const question = { tool, principal, facts };
  const answered: AdmissionCheck[] = [];
  for (const { name, passes, explain, change, lacks } of checks) {
    const passed = passes(question);
    answered.push({ check: name, passed, reason: explain(question, passed) });
    if (!passed) return { admitted: false, checks: answered, change: change(question), ...lacks?.(question) };
  }
  return { admitted: true, checks: answered };
}

/** True when `admit` has no reason against the principal. Listing and calling both ask here. */
export function isAdmitted(tool: CompiledTool, principal: Principal, facts: AdmissionFacts): boolean {
  const question = { tool, principal, facts };
  for (const { passes } of checks) if (!passes(question)) return false;
  return true;
}

/** Rows say nothing of what a runtime brings, but which other agents an agent calls. */
const hasRows = ({ definition: { visibility = {} } }: CompiledTool) => visibility.harness === undefined || visibility.agentChannel === true;

/** An agent calls another one only where a row says so. */
const needsRow = ({ tool, principal: { agent } }: Question) => agent !== undefined && tool.definition.visibility?.agentChannel === true;

/** What rows say of this tool for the agent, if there is one and they concern it. */
function agentRow({ tool, principal: { tenant, agent }, facts: { visibility } }: Question): Partial<AgentToolRow> | undefined {
  if (agent === undefined || !hasRows(tool)) return undefined;
  if (visibility.agentTool) return visibility.agentTool(tenant, agent, tool.name);
  const listed = visibility.agentTools(tenant, agent);
  return listed && { enabled: listed.has(tool.name) };
}

const noSecrets: readonly string[] = [];

function missingSecrets({ tool, principal, facts }: Question): readonly string[] {
  const needed = tool.effects.secrets;
  return needed ? needed.filter((name) => !facts.secrets.has(principal.tenant, name, principal.agent)) : noSecrets;
}

/** The first of its capabilities that cannot work for this caller. */
function missingOf({ tool, principal, facts: { capabilities } }: Question): ReturnType<NonNullable<CapabilityProvider["missing"]>> {
  if (!capabilities) return undefined;
  for (const name of tool.capabilities) {
    const missing = capabilities.get(name)?.missing?.(principal);
    if (missing) return missing;
  }
  return undefined;
}
