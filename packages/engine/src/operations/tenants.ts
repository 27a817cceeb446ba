import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_TENANTS } from "../contract/permissions.ts";
import { type TenantRecord, tenantsPort } from "../ports/tenant-store.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf, time } from "./json-parts.ts";
import { tenantsView } from "./views/identity.ts";

const managed = { permission: MANAGE_TENANTS, onlyPeople: true, needs: [tenantsPort] } as const;
const shell = { store: true, tenantless: true } as const;
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
  shell: { form: "tenants list", about: "List all tenants", ...shell },
  view: tenantsView,
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
  shell: { form: "tenants create <tenant>", options: { name: { about: "display name" } }, ...shell },
  view: {
    out: "Made the tenant {tenant}. Ask its first owner in: toolwright users invite <e-mail> --role owner --tenant {tenant}",
  },
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
  shell: { form: "tenants suspend <tenant>", about: "Block all access to a tenant; keep its data", ...shell },
  view: { note: "Suspended {tenant}: nobody of it gets in from now on. toolwright tenants resume {tenant} takes it back." },
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
  shell: { form: "tenants resume <tenant>", about: "Restore access to a suspended tenant", ...shell },
  view: { note: "{tenant} goes on." },
  async run({ tenant: wanted }, context) {
    await context.ports.tenants.resume(wanted);
    return requireTenant(wanted, context);
  },
});

async function requireTenant(wanted: string, { ports }: OperationContext<typeof tenantsPort>): Promise<TenantRecord> {
  const found = await ports.tenants.get(wanted);
  if (found) return found;
  throw new ToolwrightError("tenant_not_found", `There is no tenant ${JSON.stringify(wanted)}. List the tenants.`);
}

export const tenantsSubject = defineSubject({
  name: "tenants",
  permissions: [{ name: MANAGE_TENANTS, about: "make and suspend tenants, and see the machine and the policy files of the server" }],
  errors: {
    tenant_not_found: { kind: "missing", means: "There is no such tenant; nothing ran." },
    tenant_suspended: { kind: "refused", means: "The tenant is suspended; nothing ran, and nothing is to run later." },
  },
  store: [tenantsPort],
  shell: { tenants: { about: "Create and suspend tenants; no data crosses from one to another" } },
  operations: [listTenants, createTenant, suspendTenant, resumeTenant],
});
