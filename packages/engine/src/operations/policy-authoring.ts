import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import { misfitAt } from "../contract/misfit-at.ts";
import { nearestName } from "../contract/nearest-name.ts";
import { MANAGE_POLICY, MANAGE_TENANTS } from "../contract/permissions.ts";
import { checkPolicyFile, policyFileSchema, tiersOfFile } from "../policy/document/policy-file.ts";
import { formatPath } from "../policy/document/policy-problem.ts";
import { tenantPolicySchema, testTenantPolicy } from "../policy/document/tenant-policy.ts";
import { exportPolicy, exportTargets, type PolicyExport } from "../policy/export/export-policy.ts";
import type { PolicyTier } from "../policy/policy.ts";
import { policySourcePort } from "../ports/policy-source.ts";
import { anyObject } from "../schema/any-json.ts";
import { defineOperation } from "./define-operation.ts";
import { jsonSchema, listOf } from "./json-parts.ts";
import { policyDocument } from "./policy.ts";
import { policyExportView, policySchemaView } from "./views/policy.ts";

const managed = { permission: MANAGE_POLICY, onlyPeople: true } as const;
const needs = "Needs a person with the permission policy:manage.";

export const policySchema = defineOperation({
  name: "policy.schema",
  at: "GET /policy/schema",
  title: "Get the schema of policies",
  description: `Gets the JSON Schema (draft 7) of a tenant's policy, or of the server's policy files, for completion in an editor. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ ofFile: z.boolean().optional().describe("True: of policy files, which the server reads") }),
  output: z.object({ schema: jsonSchema }),
  shell: {
    ...{ form: "policy schema", about: "Print the JSON Schema of policy files, for editors", gives: { ofFile: true } },
    ...{ machine: true, tenantless: true },
  },
  view: policySchemaView,
  run: async ({ ofFile }) => ({ schema: ofFile ? policyFileSchema() : tenantPolicySchema() }),
});

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
  input: z.object({ document: policyDocument }),
  output: listOf(testedRule),
  run: async ({ document }, { principal: { tenant } }) => ({ items: testTenantPolicy({ tenant, document }) }),
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
      document: { flags: "[file]", reads: "policy file" },
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
