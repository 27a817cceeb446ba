import { type AnyTool, defineTool, fail, type Json, type PolicyTier, type Principal } from "@toolwright/engine";
import type { VisibilityFacts } from "@toolwright/engine/ports";
import { z } from "zod";

/** Who calls: each meets another answer of the gate, under one policy. */
export type Subject = "allowed" | "asked" | "denied" | "hidden" | "other tenant";

/** Those for whom a call may run. */
export const runningSubjects: ReadonlySet<Subject> = new Set(["allowed", "other tenant"]);

export const subjects: readonly Subject[] = ["allowed", "asked", "denied", "hidden", "other tenant"];

export const tenant = "acme";
const otherTenant = "globex";
const ann = { kind: "user", id: "ann" } as const;

export function principalOf(subject: Subject, permissions: readonly string[]): Principal {
  const of = subject === "other tenant" ? otherTenant : tenant;
  return { tenant: of, actor: ann, agent: subject.replace(" ", "-"), permissions, door: "code" };
}

/** What schemas may depend on. */
export function contextOf(subject: Subject) {
  const { tenant, agent } = principalOf(subject, []);
  return { tenant, agent, attributes: {} };
}

/** Answers what others of the tenant wait for. */
export const approverOf = (of: string): Principal => ({
  tenant: of,
  actor: { kind: "user", id: "bob" },
  permissions: ["approvals:answer"],
  door: "code",
  interactive: true,
});

/** The policy of the run: the given tiers, and for the subjects what makes them what they are. */
export function tiersFor(given: readonly PolicyTier[], names: readonly string[]): readonly PolicyTier[] {
  return [
    ...given,
    { tier: "agent", agent: "asked", document: { version: 1, tools: { ask: [...names] } } },
    { tier: "agent", agent: "denied", document: { version: 1, tools: { deny: [...names] } } },
    { tier: "tenant", tenant: otherTenant, document: { version: 1, tools: { deny: names.slice(0, 1) } } },
  ];
}

/** The subject `hidden` has none of the tools. */
export const hidingFacts: VisibilityFacts = {
  tenantRow: () => undefined,
  agentTools: (_, agent) => (agent === "hidden" ? new Set() : undefined),
  acceptsAgentChannel: () => false,
};

export const secretName = "CONFORMANCE_SECRET";
export const secretValue = "conformance-secret-3f9a1c";

const empty = z.object({});
const text = z.object({ text: z.string() });

/** Tools that bring every door to what users' tools may never do: long outputs, secrets, defects. */
export const probes: readonly AnyTool[] = [
  defineTool({
    name: "conformance_add",
    description: "Adds two whole numbers, for the suite that compares doors.",
    input: z.object({ a: z.int().describe("First"), b: z.int().describe("Second") }),
    output: z.object({ sum: z.int() }),
    examples: [{ label: "Two numbers", input: { a: 2, b: 3 } }],
    run: ({ a, b }) => ({ sum: a + b }),
  }),
  defineTool({
    name: "conformance_crash",
    description: "Throws an error that names a path, for the suite that compares doors.",
    input: empty,
    output: text,
    run: () => {
      throw new Error("at /home/ann/secret.ts");
    },
  }),
  defineTool({
    name: "conformance_large",
    description: "Returns more than a result may hold, for the suite that compares doors.",
    input: empty,
    output: text,
    run: () => ({ text: "x".repeat(100_000) }),
  }),
  defineTool({
    name: "conformance_leak",
    description: "Returns a secret, for the suite that compares doors.",
    input: empty,
    output: text,
    effects: { secrets: [secretName] },
    run: async (_, { secrets }) => ({ text: `The secret is ${await secrets.get(secretName)}.` }),
  }),
  defineTool({
    name: "conformance_refuse",
    description: "Fails in its own words, for the suite that compares doors.",
    input: empty,
    output: text,
    run: () => fail("no_luck", "Try again on Monday."),
  }),
];

export interface CaseInput {
  /** In the report: `example "A whole file"`. */
  readonly label: string;
  readonly input: Json;
  /** Where it asks, a person says yes, and it runs; any other is denied. */
  readonly isApproved?: boolean;
}
