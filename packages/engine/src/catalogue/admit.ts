import type { Principal } from "../contract/principal.ts";
import type { SecretStore } from "../ports/secret-store.ts";
import type { VisibilityFacts } from "../ports/visibility-facts.ts";
import type { CompiledTool } from "./compiled-tool.ts";

/** What admission needs to know beside the tool and the principal. */
export interface AdmissionFacts {
  readonly visibility: VisibilityFacts;
  readonly secrets: Pick<SecretStore, "has">;
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
}

interface Question {
  readonly tool: CompiledTool;
  readonly principal: Principal;
  readonly facts: AdmissionFacts;
}

type Answer = readonly [passed: boolean, reason: string];

/** In the order of design: the first that fails hides the tool. */
const checks: readonly (readonly [name: string, ask: (question: Question) => Answer])[] = [
  ["tenant_allow_list", isTenantListed],
  ["tenant_row", isTenantRowOn],
  ["agent_enablement", isEnabledForAgent],
  ["feature", isFeatureOn],
  ["permission", hasPermission],
  ["secrets", hasSecrets],
  ["harness", isHarnessAdmitted],
  ["agent_channel", isAgentChannelOpen],
];

/** Says whether the principal may see and call the tool. Listing and calling both ask here. */
export function admit(tool: CompiledTool, principal: Principal, facts: AdmissionFacts): Admission {
  const question = { tool, principal, facts };
  const answered: AdmissionCheck[] = [];
  for (const [check, ask] of checks) {
    const [passed, reason] = ask(question);
    answered.push({ check, passed, reason });
    if (!passed) return { admitted: false, checks: answered };
  }
  return { admitted: true, checks: answered };
}

/** The same answer without the reasons, for the hot path. */
export function isAdmitted(tool: CompiledTool, principal: Principal, facts: AdmissionFacts): boolean {
  const question = { tool, principal, facts };
  return checks.every(([, ask]) => ask(question)[0]);
}

function isTenantListed({ tool, principal }: Question): Answer {
  const tenants = tool.definition.visibility?.tenants;
  if (!tenants) return [true, "The definition names no tenants, so every tenant may have it."];
  return [tenants.includes(principal.tenant), `The definition is for tenants ${tenants.join(", ")}; this is "${principal.tenant}".`];
}

function isTenantRowOn({ tool, principal, facts }: Question): Answer {
  const row = facts.visibility.tenantRow(principal.tenant, tool.name);
  if (tool.definition.visibility?.optIn)
    return [row === "on", row === "on" ? "The tenant opted in." : "The tool is opt-in and the tenant has not switched it on."];
  return [row !== "off", row === "off" ? "The tenant switched it off." : "The tenant has not switched it off."];
}

function isEnabledForAgent({ tool, principal, facts }: Question): Answer {
  if (principal.agent === undefined) return [true, "No agent is involved."];
  if (tool.definition.visibility?.harness) return [true, "Harness tools are not enabled by rows."];
  const enabled = facts.visibility.agentTools(principal.tenant, principal.agent);
  if (!enabled) return [true, `Agent "${principal.agent}" is not restricted to a list of tools.`];
  const passed = enabled.has(tool.name);
  return [
    passed,
    passed ? `It is enabled for agent "${principal.agent}".` : `It is not enabled for agent "${principal.agent}". Enable it on the agent.`,
  ];
}

function isFeatureOn({ tool, principal }: Question): Answer {
  const feature = tool.definition.visibility?.feature;
  if (!feature) return [true, "It belongs to no feature that can be switched off."];
  const off = Object.hasOwn(principal.attributes ?? {}, feature) && principal.attributes?.[feature] === false;
  return [!off, off ? `The feature "${feature}" is switched off.` : `The feature "${feature}" is not switched off.`];
}

function hasPermission({ tool, principal }: Question): Answer {
  const needed = tool.definition.permission;
  if (!needed) return [true, "It needs no permission."];
  const passed = principal.permissions.includes(needed);
  return [passed, passed ? `The principal has "${needed}".` : `It needs the permission "${needed}".`];
}

function hasSecrets({ tool, principal, facts }: Question): Answer {
  const needed = tool.effects.secrets ?? [];
  const missing = needed.filter((name) => !facts.secrets.has(principal.tenant, name));
  if (missing.length === 0) return [true, needed.length === 0 ? "It needs no secrets." : "Its secrets are set."];
  return [false, `It is misconfigured: set the secret ${missing.join(", ")}.`];
}

function isHarnessAdmitted({ tool, principal }: Question): Answer {
  const harness = tool.definition.visibility?.harness;
  if (!harness) return [true, "It is not bound to one runtime."];
  const passed = principal.harness?.includes(harness) === true;
  return [passed, passed ? `The runtime admits "${harness}".` : `Only a runtime that admits "${harness}" has it.`];
}

function isAgentChannelOpen({ tool, principal, facts }: Question): Answer {
  if (!tool.definition.visibility?.agentChannel) return [true, "It is not reached through the agent channel."];
  const passed = facts.visibility.acceptsAgentChannel(principal.tenant, tool.name.replace(/^agent[:_-]/, ""));
  return [passed, passed ? "The target accepts the agent channel." : "The target does not accept the agent channel."];
}
