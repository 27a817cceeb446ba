import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Principal } from "../contract/principal.ts";
import { createMemorySecretStore } from "../memory/secret-store.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import { everythingEnabled, type VisibilityFacts } from "../ports/visibility-facts.ts";
import { type AnyTool, defineTool } from "../tool/define-tool.ts";
import { admit, isAdmitted } from "./admit.ts";
import { compileTool } from "./compile-tool.ts";

const principal: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  agent: "helper",
  permissions: ["crm:read"],
  door: "mcp",
  harness: ["room"],
};
const base = { name: "probe", description: "A tool to be admitted.", input: z.object({}), output: z.object({}), run: () => ({}) };

interface Row {
  readonly when: string;
  readonly tool?: Partial<AnyTool>;
  readonly by?: Partial<Principal>;
  readonly rows?: Partial<VisibilityFacts>;
  readonly secrets?: Record<string, string>;
  /** What the capability "files" is missing. */
  readonly missing?: CapabilityProvider["missing"];
  /** The check that refuses, or undefined when it is admitted. */
  readonly refusedBy?: string;
}

const rows: Row[] = [
  { when: "nothing restricts it" },
  { when: "the definition names the tenant", tool: { visibility: { tenants: ["acme"] } } },
  { when: "the definition names other tenants", tool: { visibility: { tenants: ["other"] } }, refusedBy: "tenant_allow_list" },
  { when: "the tenant switched it off", rows: { tenantRow: () => "off" }, refusedBy: "tenant_row" },
  { when: "it is opt-in and the tenant said nothing", tool: { visibility: { optIn: true } }, refusedBy: "tenant_row" },
  { when: "it is opt-in and the tenant opted in", tool: { visibility: { optIn: true } }, rows: { tenantRow: () => "on" } },
  { when: "the agent has a list with it", rows: { agentTools: () => new Set(["probe"]) } },
  { when: "the agent has a list without it", rows: { agentTools: () => new Set(["other"]) }, refusedBy: "agent_enablement" },
  { when: "no agent is involved, whatever the lists", by: { agent: undefined as never }, rows: { agentTools: () => new Set() } },
  {
    when: "its feature is off although it is enabled",
    tool: { visibility: { feature: "memory" } },
    by: { attributes: { memory: false } },
    rows: { agentTools: () => new Set(["probe"]) },
    refusedBy: "feature",
  },
  {
    when: "a row enables it, whatever the list",
    rows: { agentTool: () => ({ enabled: true, reason: "Enabled." }), agentTools: () => new Set() },
  },
  { when: "a row switches it off", rows: { agentTool: () => ({ enabled: false, reason: "Off." }) }, refusedBy: "agent_enablement" },
  { when: "no row says anything of it", rows: { agentTool: () => undefined } },
  {
    when: "its feature is off for the agent although a row enables it",
    tool: { visibility: { feature: "memory" } },
    rows: { agentTool: () => ({ enabled: true, reason: "Enabled." }), agentFeature: () => false },
    refusedBy: "feature",
  },
  { when: "its feature is on", tool: { visibility: { feature: "memory" } }, by: { attributes: { memory: true } } },
  { when: "the permission is there", tool: { permission: "crm:read" } },
  { when: "the permission is missing", tool: { permission: "crm:write" }, refusedBy: "permission" },
  { when: "a secret is missing", tool: { effects: { secrets: ["KEY"] } }, refusedBy: "secrets" },
  { when: "its secrets are set", tool: { effects: { secrets: ["KEY"] } }, secrets: { KEY: "a value" } },
  {
    when: "the runtime admits its harness, without any row",
    tool: { visibility: { harness: "room" } },
    rows: { agentTools: () => new Set() },
  },
  { when: "the runtime does not admit its harness", tool: { visibility: { harness: "webhook" } }, refusedBy: "harness" },
  {
    when: "it is another agent, for which the agent has no row",
    tool: { visibility: { agentChannel: true, harness: "room" } },
    rows: { agentTool: () => undefined, acceptsAgentChannel: () => true },
    refusedBy: "agent_enablement",
  },
  {
    when: "the target agent accepts no agents",
    tool: { visibility: { agentChannel: true } },
    rows: { agentTool: () => ({ enabled: true, reason: "Enabled." }) },
    refusedBy: "agent_channel",
  },
  {
    when: "the target agent accepts agents and a row enables it",
    tool: { visibility: { agentChannel: true, harness: "room" } },
    rows: { agentTool: () => ({ enabled: true, reason: "Enabled." }), acceptsAgentChannel: () => true },
  },
  {
    when: "the target agent accepts agents and no agent is involved",
    tool: { visibility: { agentChannel: true } },
    by: { agent: undefined as never },
    rows: { acceptsAgentChannel: () => true },
  },
];

const noDisk = { reason: "There is no disk.", change: { kind: "catalogue", text: "Add a disk." } } as const;
rows.push(
  { when: "its capability lacks something", tool: { effects: { files: "read" } }, missing: () => noDisk, refusedBy: "capability" },
  {
    when: "its capability lacks something for others",
    tool: { effects: { files: "read" } },
    missing: ({ tenant }) => (tenant === "acme" ? undefined : noDisk),
  },
  { when: "a capability lacks something that it does not declare", missing: () => noDisk },
);

describe("admission", () => {
  it.each(rows)("when $when: refused by $refusedBy", ({ tool, by, rows: facts, secrets, missing, refusedBy }) => {
    const store = createMemorySecretStore();
    for (const [name, value] of Object.entries(secrets ?? {})) void store.set({ tenant: "acme", name }, value);
    const compiled = compileTool(defineTool({ ...base, ...tool } as never), { kind: "builtin", source: "test" });
    const files = { name: "files", open: () => ({}), ...(missing && { missing }) } as unknown as CapabilityProvider;
    const question = { visibility: { ...everythingEnabled, ...facts }, secrets: store, capabilities: new Map([["files", files]]) };
    const admission = admit(compiled, { ...principal, ...by }, question);
    const last = admission.checks.at(-1);
    expect(admission.admitted ? undefined : last?.check).toBe(refusedBy);
    expect(last?.reason).toMatch(/\.$/);
    expect(isAdmitted(compiled, { ...principal, ...by }, question)).toBe(admission.admitted);
    expect(admission.missing).toEqual(refusedBy === "capability" ? noDisk.reason : undefined);
    expect(admission.missingSecrets).toEqual(refusedBy === "secrets" ? tool?.effects?.secrets : undefined);
  });
});
