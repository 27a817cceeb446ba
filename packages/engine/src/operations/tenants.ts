import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_TENANTS } from "../contract/permissions.ts";
import type { TenantRecord } from "../ports/tenant-store.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf, time } from "./json-parts.ts";

const managed = { permission: MANAGE_TENANTS, onlyPeople: true, needs: ["tenants"] } as const;
const needs = "Needs whoever runs the server, with the permission tenants:manage.";

const tenant = z.object({
  tenant: z.string(),
  name: z.string(),
  createdAt: time("When it was made"),
  suspendedAt: time("Since when nobody of it gets in").optional(),
});

const named = z.string().min(1).describe("1 to 63 lower-case letters, digits, - and _");

const listTenants = defineOperation({
  name: "tenants.list",
  at: "GET /tenants",
  title: "List tenants",
  description: `Lists tenants. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(tenant),
  run: async (_, { ports }) => ({ items: await ports.tenants.list() }),
});

const createTenant = defineOperation({
  name: "tenants.create",
  at: "POST /tenants",
  status: 201,
  title: "Create a tenant",
  description: `Makes a tenant. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ tenant: named, name: z.string().optional().describe("For people; default: like the tenant") }),
  output: tenant,
  run: ({ tenant: made, name = made }, { ports }) => ports.tenants.create({ tenant: made, name }),
});

const suspendTenant = defineOperation({
  name: "tenants.suspend",
  at: "POST /tenants/{tenant}/suspend",
  title: "Suspend a tenant",
  description: `Blocks all access of a tenant, and keeps its data. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ tenant: named }),
  output: tenant,
  async run({ tenant: wanted }, context) {
    await context.ports.tenants.suspend(wanted);
    return requireTenant(wanted, context);
  },
});

const resumeTenant = defineOperation({
  name: "tenants.resume",
  at: "POST /tenants/{tenant}/resume",
  title: "Resume a tenant",
  description: `Gives a suspended tenant its access back. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ tenant: named }),
  output: tenant,
  async run({ tenant: wanted }, context) {
    await context.ports.tenants.resume(wanted);
    return requireTenant(wanted, context);
  },
});

async function requireTenant(wanted: string, { ports }: OperationContext<"tenants">): Promise<TenantRecord> {
  const found = await ports.tenants.get(wanted);
  if (found) return found;
  throw new ToolwrightError("tenant_not_found", `There is no tenant ${JSON.stringify(wanted)}. List the tenants.`);
}

export const tenantsSubject = defineSubject({
  name: "tenants",
  operations: [listTenants, createTenant, suspendTenant, resumeTenant],
});
