import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Principal } from "@toolwright/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { workspacesOf } from "./workspaces.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-workspaces-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const of = (tenant: string) => {
  const principal: Principal = { tenant, actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" };
  return workspacesOf({ workspace: join(root, "workspace"), tenantWorkspaces: join(root, "tenants") })({ principal });
};

test("X6: the tenant of the machine has the workspace itself", () => {
  expect(of("default")).toBe(join(root, "workspace"));
});

test("X6: every other tenant has a folder of its own, outside the workspace, for its owner alone", async () => {
  const [acme, other] = [of("acme"), of("other")];
  expect(acme).toBe(join(root, "tenants/acme"));
  expect(other).toBe(join(root, "tenants/other"));
  expect((await stat(acme)).mode & 0o777).toBe(0o700);
  expect(of("acme")).toBe(acme);
});

test.each(["", ".", "..", "../acme", "a/b", "Acme", "acme\0", "a".repeat(64)])("a tenant named %j has no workspace", async (tenant) => {
  expect(() => of(tenant)).toThrow(expect.objectContaining({ code: "workspace_missing" }));
  await expect(stat(join(root, "tenants"))).rejects.toThrow();
});

test("a workspace that cannot be made says so, and no path of the host", async () => {
  await writeFile(join(root, "tenants"), "a file in the way");
  expect(() => of("acme")).toThrow(/^The workspace of the tenant cannot be made \(\w+\)\. An operator .* TOOLWRIGHT_TENANT_WORKSPACES\.$/);
});
