import { z } from "zod";
import { MANAGE_POLICY, MANAGE_TENANTS } from "../contract/permissions.ts";
import { policyFileSchema } from "../policy/document/policy-file.ts";
import { tenantPolicySchema, testTenantPolicy } from "../policy/document/tenant-policy.ts";
import { policySourcePort } from "../ports/policy-source.ts";
import { anyObject } from "../schema/any-json.ts";
import { defineOperation } from "./define-operation.ts";
import { jsonSchema, listOf } from "./json-parts.ts";
import { policyDocument } from "./policy.ts";
import { policySchemaView } from "./views/policy.ts";

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

const platformPolicy = z.object({
  document: anyObject("Members of a policy file, with those of the files that it includes"),
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
