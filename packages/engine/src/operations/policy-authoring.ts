import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import { misfitAt } from "../contract/misfit-at.ts";
import { nearestName } from "../contract/nearest-name.ts";
import { MANAGE_POLICY, MANAGE_TENANTS } from "../contract/permissions.ts";
import { compilePolicy } from "../policy/compile-policy.ts";
import { formatPath } from "../policy/document/format-path.ts";
import { checkPolicyFile, policyFileSchema, readPolicyFile, testPolicyFile, tiersOfFile } from "../policy/document/policy-file.ts";
import { tenantPolicySchema, testTenantPolicy, tiersOfTenant } from "../policy/document/tenant-policy.ts";
import { exportPolicy, exportTargets, type PolicyExport } from "../policy/export/export-policy.ts";
import type { PolicyTier } from "../policy/policy.ts";
import { policySourcePort } from "../ports/policy-source.ts";
import { anyObject } from "../schema/any-json.ts";
import { defineOperation } from "./define-operation.ts";
import { jsonSchema, listOf } from "./json-parts.ts";
import { policyDocument } from "./policy.ts";
import { checkedPolicyView, policyExportView, policySchemaView, testedPolicyView } from "./views/policy.ts";

const managed = { permission: MANAGE_POLICY, onlyPeople: true } as const;
const needs = "Needs a person with the permission policy:manage.";

export const policySchema = defineOperation({
  name: "policy.schema",
  at: "GET /policy/schema",
  title: "Get the schema of policies",
  description: `Gets the JSON Schema (draft 7) of a tenant's policy, or of the server's policy files, for completion in an editor. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ ofFile: z.boolean().optional().describe("True: of policy files, which a server reads") }),
  output: z.object({ schema: jsonSchema }),
  shell: {
    ...{ form: "policy schema", about: "Print the JSON Schema of policy files, for editors", gives: { ofFile: true } },
    ...{ machine: true, tenantless: true },
  },
  view: policySchemaView,
  run: async ({ ofFile }) => ({ schema: ofFile ? policyFileSchema() : tenantPolicySchema() }),
});

const ofFile = z.boolean().optional().describe("True: it is what a policy file of a server says, with what that includes");
const testedRule = z.object({
  path: z.array(z.union([z.string(), z.int()])).describe("Where the rule stands in the document"),
  pattern: z.string(),
  effect: z.enum(["allow", "ask", "deny"]),
  tests: z.array(z.object({ line: z.string(), expected: z.enum(["match", "not_match"]), passed: z.boolean() })),
  problem: z.string().optional().describe("Why the rule cannot be put in force"),
});

export const testPolicy = defineOperation({
  name: "policy.test",
  at: "POST /policy/test",
  title: "Test the rules of a policy",
  description: `Runs the tests that the command rules of a document carry. Nothing is put in force. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ document: policyDocument, ofFile }),
  output: listOf(testedRule),
  shell: {
    form: "policy test [document]",
    about: "Run the tests that the rules carry, and print each",
    ...{
      options: { document: { flags: "[file]", reads: "untestedPolicyFile" } },
      gives: { ofFile: true },
      machine: true,
      tenantless: true,
    },
  },
  view: testedPolicyView,
  run: async ({ document, ofFile: isFile }, { principal: { tenant } }) => ({
    items: isFile ? testPolicyFile(document) : testTenantPolicy({ tenant, document }),
  }),
});

export const checkPolicy = defineOperation({
  name: "policy.check",
  at: "POST /policy/check",
  title: "Check a policy",
  description: `Says of a document that it could be put in force, with the tests of its rules. What is wrong in one is refused with every place. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ document: policyDocument, ofFile }),
  output: z.object({
    rules: z.int().describe("Command rules"),
    tests: z.int().describe("Tests of these rules, which pass"),
    agents: z.array(z.string()).describe("Agents that have a document of their own"),
    revision: z.string().describe("Of what is decided by it, as decisions name it where it is a policy file"),
  }),
  shell: {
    form: "policy check [document]",
    about: "Load a policy as a server would, and say what is wrong where",
    options: { document: { flags: "[file]", reads: "policyFile" } },
    ...{ gives: { ofFile: true }, machine: true, tenantless: true },
    notes: "Without a file: the policy that would be in force. Exit code 0 when it is valid, 1 when not.",
    examples: ["policy check policy.yaml"],
  },
  view: checkedPolicyView,
  async run({ document, ofFile: isFile }, { principal: { tenant } }) {
    const tiers = isFile ? tiersOfFile(readPolicyFile(document)) : tiersOfTenant({ tenant, document });
    const rules = tiers.flatMap((tier) => tier.document.commands?.rules ?? []);
    return {
      rules: rules.length,
      tests: rules.reduce((sum, { match = [], not_match: leaves = [] }) => sum + match.length + leaves.length, 0),
      agents: tiers.flatMap(({ agent }) => agent ?? []),
      revision: compilePolicy(tiers).revision,
    };
  },
});

const platformDocument = anyObject("Members of a policy file, with those of the files that it includes");
const platformPolicy = z.object({
  document: platformDocument,
  files: z
    .array(z.object({ path: z.string().describe("Absolute"), text: z.string().describe("As it was read") }))
    .describe("None for the built-in policy"),
});

export const readPlatformPolicy = defineOperation({
  name: "policy.platform",
  at: "GET /policy/platform",
  title: "Get the platform's policy",
  description:
    "Gets the platform's policy that is in force, with the files that it comes from. Needs whoever runs the server, with the permission tenants:manage.",
  permission: MANAGE_TENANTS,
  onlyPeople: true,
  effect: "read",
  needs: [policySourcePort],
  input: z.object({}),
  output: platformPolicy,
  run: async (_, { ports }) => ports.policySource.current(),
});

const exported: z.ZodType<PolicyExport> = z.object({
  files: z.array(z.object({ path: z.string().describe("Where the other agent looks for it"), text: z.string() })),
  rules: z
    .array(
      z.object({
        rule: z.string(),
        grade: z.enum(["exact", "degraded", "unsupported"]),
        as: z.array(z.string()).describe("What it became there"),
        reason: z.string().exactOptional().describe("What is lost"),
      }),
    )
    .describe("What became of each member of the policy"),
});

export const exportPolicyFile = defineOperation({
  name: "policy.export",
  at: "POST /policy/export",
  title: "Export a policy",
  description: `Writes a policy file in the rule format of another agent, and says of each rule what is lost there. Nothing is put in force. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ document: platformDocument, target: z.string().describe(exportTargets.join(", ")) }),
  output: exported,
  shell: {
    form: "policy export [document]",
    about: "Write a policy in the rule format of another agent",
    options: {
      document: { flags: "[file]", reads: "wholePolicyFile" },
      target: { flags: "--target <name>", about: `${exportTargets.slice(0, -1).join(", ")} or ${exportTargets.at(-1)}` },
    },
    machine: "with tools",
    tenantless: true,
    notes: "What became of each rule is on stderr: exact, degraded or unsupported.",
    examples: ["policy export policy.yaml --target claude-code"],
  },
  view: policyExportView,
  async run({ document, target }, { code }) {
    const found = exportPolicy(
      tiersOfDocument(document),
      target,
      code().tools.map(({ facts }) => facts),
    );
    if (found) return found;
    const nearest = nearestName(target, exportTargets);
    const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
    throw misfitAt(
      "/target",
      "invalid_input",
      `There is no target ${JSON.stringify(target)}.${meant} Targets: ${exportTargets.join(", ")}.`,
    );
  },
});

/** Throws `policy_invalid` with every place and what is wrong there; for files that it includes, too, since nothing reads them. */
function tiersOfDocument(document: JsonObject): readonly PolicyTier[] {
  const checked = checkPolicyFile(document);
  const included = { path: ["include"], text: "include: files are not read here. Write their members in their place." };
  const problems = "file" in checked ? (checked.file.include?.length ? [included] : []) : checked.problems;
  if ("file" in checked && problems.length === 0) return tiersOfFile(checked.file);
  const message = `The policy is not valid: ${problems.map(({ text }) => text).join("; ")}.`;
  throw new ToolwrightError("policy_invalid", message, {
    details: { problems: problems.map(({ path, text }) => ({ path: formatPath(path), text })) },
  });
}
