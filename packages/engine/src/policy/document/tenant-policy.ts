import { z } from "zod";
import { ToolwrightError } from "../../contract/errors.ts";
import type { PolicyVersion } from "../../ports/policy-store.ts";
import { testRule } from "../compile-commands.ts";
import type { PolicyTier } from "../policy.ts";
import { policyDocument } from "./policy-document.ts";
import { describeIssues, formatPath, type PolicyProblem } from "./policy-problem.ts";
import { agentId } from "./policy-words.ts";

const { version, ...members } = policyDocument.shape;

/** A tenant's own policy: what the platform's file says in `tenant` and `agents`, in one document. */
const tenantPolicy = z.strictObject({
  version: version.optional(),
  ...members,
  agents: z.array(z.strictObject({ id: agentId, ...members })).optional(),
});

/** The tiers that a tenant's document means. Throws `policy_invalid` with every place, what is wrong there and what to write. */
export function tiersOfTenant({ tenant, document }: Pick<PolicyVersion, "tenant" | "document">): readonly PolicyTier[] {
  const parsed = tenantPolicy.safeParse(document, { reportInput: true });
  if (!parsed.success) throw refuse(tenant, describeIssues(parsed.error, tenantPolicy));
  const { version: _, agents = [], ...own } = parsed.data;
  const tiers: readonly PolicyTier[] = [
    { tier: "tenant", tenant, document: { version: 1, ...own } },
    ...agents.map(({ id, ...narrower }) => ({ tier: "agent", tenant, agent: id, document: { version: 1, ...narrower } }) as const),
  ];
  const problems = [...findTwins(agents), ...tiers.flatMap(findRuleProblems)];
  if (problems.length > 0) throw refuse(tenant, problems);
  return tiers;
}

function findTwins(agents: readonly { readonly id: string }[]): readonly PolicyProblem[] {
  return agents.flatMap(({ id }, index) => {
    const first = agents.findIndex((each) => each.id === id);
    const text = `agents[${index}]: the agent ${JSON.stringify(id)} is already at agents[${first}]. Join the two`;
    return first < index ? [{ path: ["agents", index, "id"], text }] : [];
  });
}

function findRuleProblems({ document }: PolicyTier, index: number): readonly PolicyProblem[] {
  return (document.commands?.rules ?? []).flatMap((rule, place) => {
    const { problem } = testRule(rule);
    const path = [...(index === 0 ? [] : ["agents", index - 1]), "commands", "rules", place];
    return problem === undefined ? [] : [{ path, text: `${formatPath(path)}: ${problem}` }];
  });
}

function refuse(tenant: string, problems: readonly PolicyProblem[]): ToolwrightError {
  const message = `The policy of the tenant ${JSON.stringify(tenant)} is not valid: ${problems.map(({ text }) => text).join("; ")}. Correct it and put it again.`;
  return new ToolwrightError("policy_invalid", message, {
    details: { problems: problems.map(({ path, text }) => ({ path: formatPath(path), text })) },
  });
}
