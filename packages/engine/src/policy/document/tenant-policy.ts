import { z } from "zod";
import { ToolwrightError } from "../../contract/errors.ts";
import type { JsonObject } from "../../contract/json.ts";
import type { PolicyVersion } from "../../ports/policy-store.ts";
import { type TestedRule, testRule } from "../compile-commands.ts";
import type { PolicyTier } from "../policy.ts";
import { formatPath } from "./format-path.ts";
import { policyDocument } from "./policy-document.ts";
import { describeIssues, type PolicyProblem } from "./policy-problem.ts";
import { agentId } from "./policy-words.ts";

const { version, ...members } = policyDocument.shape;

/** A tenant's own policy: what the platform's file says in `tenant` and `agents`, in one document. */
const tenantPolicy = z.strictObject({
  version: version.optional(),
  ...members,
  agents: z.array(z.strictObject({ id: agentId, ...members })).optional(),
});

type TenantDocument = Pick<PolicyVersion, "tenant" | "document">;

/** The tiers that a tenant's document means. Throws `policy_invalid` with every place, what is wrong there and what to write. */
export function tiersOfTenant(policy: TenantDocument): readonly PolicyTier[] {
  const { tenant } = policy;
  const { agents, tiers } = readTiers(policy);
  const failing = tiers.flatMap(testTier).flatMap(({ path, problem }) => (problem === undefined ? [] : [{ path, problem }]));
  const problems = [...findTwins(agents), ...failing.map(({ path, problem }) => ({ path, text: `${formatPath(path)}: ${problem}` }))];
  if (problems.length > 0) throw refuse(tenant, problems);
  return tiers;
}

/** Runs the tests of all rules of a tenant's document. Throws `policy_invalid` for members that are not those of a policy. */
export function testTenantPolicy(policy: TenantDocument): readonly TestedRule[] {
  return readTiers(policy).tiers.flatMap(testTier);
}

/** JSON Schema (draft 7) of a tenant's policy, for completion in editors. */
export function tenantPolicySchema(): JsonObject {
  const schema = z.toJSONSchema(tenantPolicy, { io: "input", target: "draft-7", reused: "ref" });
  return { title: "Toolwright policy of a tenant", ...(JSON.parse(JSON.stringify(schema)) as JsonObject) };
}

function readTiers({ tenant, document }: TenantDocument) {
  const parsed = tenantPolicy.safeParse(document, { reportInput: true });
  if (!parsed.success) throw refuse(tenant, describeIssues(parsed.error, tenantPolicy));
  const { version: _, agents = [], ...own } = parsed.data;
  const tiers: readonly PolicyTier[] = [
    { tier: "tenant", tenant, document: { version: 1, ...own } },
    ...agents.map(({ id, ...narrower }) => ({ tier: "agent", tenant, agent: id, document: { version: 1, ...narrower } }) as const),
  ];
  return { agents, tiers };
}

function findTwins(agents: readonly { readonly id: string }[]): readonly PolicyProblem[] {
  return agents.flatMap(({ id }, index) => {
    const first = agents.findIndex((each) => each.id === id);
    const text = `agents[${index}]: the agent ${JSON.stringify(id)} is already at agents[${first}]. Join the two`;
    return first < index ? [{ path: ["agents", index, "id"], text }] : [];
  });
}

function testTier({ document }: PolicyTier, index: number): readonly TestedRule[] {
  return (document.commands?.rules ?? []).map((rule, place) => {
    const { tests, problem } = testRule(rule);
    const path = [...(index === 0 ? [] : ["agents", index - 1]), "commands", "rules", place];
    return { path, pattern: rule.pattern, effect: rule.effect, tests, problem };
  });
}

function refuse(tenant: string, problems: readonly PolicyProblem[]): ToolwrightError {
  const message = `The policy of the tenant ${JSON.stringify(tenant)} is not valid: ${problems.map(({ text }) => text).join("; ")}. Correct it and put it again.`;
  return new ToolwrightError("policy_invalid", message, {
    details: { problems: problems.map(({ path, text }) => ({ path: formatPath(path), text })) },
  });
}
