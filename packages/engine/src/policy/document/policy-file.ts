import { z } from "zod";
import { ToolwrightError } from "../../contract/errors.ts";
import type { JsonObject } from "../../contract/json.ts";
import { type TestedRule, testRule } from "../compile-commands.ts";
import type { PolicyTier } from "../policy.ts";
import { formatPath } from "./format-path.ts";
import { type PolicyDocument, policyDocument } from "./policy-document.ts";
import { describeIssues, type PolicyProblem } from "./policy-problem.ts";
import { agentId } from "./policy-words.ts";

const { version, ...members } = policyDocument.shape;

/**
 * A policy as a file holds it: the platform's document, and beside it what lower tiers narrow. `include` names files whose
 * members are joined with these; whoever reads files resolves it.
 */
export const policyFile = z.strictObject({
  $schema: z.string().optional().describe("Where an editor finds the schema of this file"),
  version: version.optional(),
  include: z.array(z.string().min(1)).optional().describe("Other policy files, relative to this one; lists are joined"),
  ...members,
  tenant: z.strictObject(members).optional().describe("Narrows what the members above say, for the tenant"),
  agents: z
    .array(z.strictObject({ id: agentId, ...members }))
    .optional()
    .describe("Narrow further, each for the calls of one agent"),
});

export type PolicyFile = z.output<typeof policyFile>;

type Checked = { readonly file: PolicyFile; readonly problems: readonly [] } | { readonly problems: readonly PolicyProblem[] };

/** Validates a file by itself: members, types, the tests of its rules unless they are left `untested`, agents named twice. */
export function checkPolicyFile(value: unknown, { untested = false }: { readonly untested?: boolean } = {}): Checked {
  const parsed = policyFile.safeParse(value, { reportInput: true });
  if (!parsed.success) return { problems: describeIssues(parsed.error, policyFile) };
  const problems = [...(untested ? [] : findRuleProblems(parsed.data)), ...findTwins(parsed.data)];
  return problems.length > 0 ? { problems } : { file: parsed.data, problems: [] };
}

function findRuleProblems(file: PolicyFile): readonly PolicyProblem[] {
  return sectionsOf(file).flatMap(({ path, members: { commands } }) =>
    (commands?.rules ?? []).flatMap((rule, index) => {
      const { problem } = testRule(rule);
      const place = [...path, "commands", "rules", index];
      return problem === undefined ? [] : [{ path: place, text: `${formatPath(place)}: ${problem}` }];
    }),
  );
}

function findTwins({ agents = [] }: PolicyFile): readonly PolicyProblem[] {
  return agents.flatMap(({ id }, index) => {
    const first = agents.findIndex((each) => each.id === id);
    const text = `agents[${index}]: the agent ${JSON.stringify(id)} is already at agents[${first}]. Join the two.`;
    return first < index ? [{ path: ["agents", index, "id"], text }] : [];
  });
}

type Members = Omit<PolicyDocument, "version">;

/** One document in a file, with its place there. */
export interface PolicySection {
  readonly path: readonly (string | number)[];
  readonly members: Members;
  readonly agent?: string;
}

/** A file whose includes are joined. Throws `policy_invalid` with every place, what is wrong there and what to write. */
export function readPolicyFile(value: unknown, options?: { readonly untested?: boolean }): PolicyFile {
  const checked = checkPolicyFile(value, options);
  if ("file" in checked) return checked.file;
  const problems = checked.problems.map(({ path, text }) => ({ path: formatPath(path), text }));
  const message = `The policy is not valid: ${problems.map(({ text }) => text).join("; ")}`;
  throw new ToolwrightError("policy_invalid", message, { details: { problems } });
}

/** Runs the tests of all rules of a file whose includes are joined. Throws as `readPolicyFile` does. */
export function testPolicyFile(value: unknown): readonly TestedRule[] {
  return sectionsOf(readPolicyFile(value, { untested: true })).flatMap(({ path, members: own }) =>
    (own.commands?.rules ?? []).map((rule, index) => {
      const { tests, problem } = testRule(rule);
      return { path: [...path, "commands", "rules", index], pattern: rule.pattern, effect: rule.effect, tests, problem };
    }),
  );
}

/** The documents of a file, highest tier first. */
export function sectionsOf({ $schema, version: _, include, tenant, agents = [], ...platform }: PolicyFile): readonly PolicySection[] {
  return [
    { path: [], members: platform },
    ...(tenant ? [{ path: ["tenant"], members: tenant }] : []),
    ...agents.map(({ id, ...own }, index) => ({ path: ["agents", index], members: own, agent: id })),
  ];
}

/** The tiers that a file means, for `createEngine` and `setPolicy`; what it includes must be joined already. */
export function tiersOfFile(file: PolicyFile): readonly PolicyTier[] {
  return sectionsOf(file).map(({ path, members: own, agent }) => ({
    tier: path.length === 0 ? ("platform" as const) : path[0] === "tenant" ? ("tenant" as const) : ("agent" as const),
    document: { version: 1, ...own },
    ...(agent !== undefined && { agent }),
  }));
}

/** JSON Schema (draft 7) of a policy file, for completion and checks in editors. */
export function policyFileSchema(): JsonObject {
  const schema = z.toJSONSchema(policyFile, { io: "input", target: "draft-7", reused: "ref" });
  return { title: "Toolwright policy", ...(JSON.parse(JSON.stringify(schema)) as JsonObject) };
}
