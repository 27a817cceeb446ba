import { openAccess } from "@toolwright/doors/mcp";
import { ANSWER_APPROVALS, type Principal } from "@toolwright/engine";
import type { IdentityAdmin } from "@toolwright/engine/ports";
import type { AccessToken, SignIn } from "@toolwright/sign-in";
import { expect, it } from "vitest";
import { withAccessTokens, withKeys } from "./authentication.ts";

const resource = "https://tools.example.org/mcp";
const request = new Request(resource);
const soon = Date.now() + 600_000;
const good: AccessToken = { client: "notes", user: "ann", tenant: "acme", scopes: ["tools"], resources: [resource], expiresAt: soon };
const owner: Principal = { tenant: "default", actor: { kind: "user", id: "me" }, permissions: [], door: "mcp" };
const identity = {
  examineKey: async (key: string) =>
    key === "tw_good" ? { tenant: "acme", actor: { kind: "service", id: "key:1" }, permissions: [] } : key.slice(3),
  identifyMember: async ({ tenant, user }: { tenant: string; user: string }) =>
    tenant === "acme" ? { tenant, actor: { kind: "user", id: user }, permissions: [ANSWER_APPROVALS, "entities.tenant.read"] } : undefined,
} as unknown as IdentityAdmin;

const access = (token: AccessToken | undefined) =>
  withAccessTokens({ identifyAccessToken: async () => token } as unknown as SignIn, identity, resource).authenticate("twa_x", request);

it.each([
  { name: "unknown", token: undefined },
  { name: "for another server", token: { ...good, resources: ["https://other.example.org/mcp"] } },
  { name: "for a path below", token: { ...good, resources: [`${resource}/more`] } },
  { name: "for no server at all", token: { ...good, resources: [] } },
  { name: "without the scope", token: { ...good, scopes: ["approvals"] } },
])("an access token $name is refused (R-MC-6)", async ({ token }) => {
  await expect(access(token)).rejects.toThrow();
});

it("an access token of somebody who is no member is refused", async () => {
  expect(await access({ ...good, tenant: "other" })).toBeUndefined();
});

it("an access token stands for its person, who answers approvals only with the scope for it", async () => {
  const principal = {
    tenant: "acme",
    actor: { kind: "user", id: "ann" },
    permissions: ["entities.tenant.read"],
    door: "mcp",
    source: "mcp",
    interactive: false,
  };
  expect(await access(good)).toEqual(principal);
  expect(await access({ ...good, resources: ["https://other.example.org", resource] })).toEqual(principal);
  const answering = await access({ ...good, scopes: ["tools", "approvals"] });
  expect(answering?.permissions).toContain(ANSWER_APPROVALS);
  expect(answering?.interactive).toBeUndefined();
});

it("a key is judged as a key where nobody has to sign in: one that is wrong does not become the owner", async () => {
  const open = withKeys(identity, openAccess(owner));
  expect(open.open).toBe(true);
  expect(await open.authenticate(undefined, request)).toBe(owner);
  expect(await open.authenticate("tw_good", request)).toMatchObject({ tenant: "acme", actor: { kind: "service" }, door: "mcp" });
  await expect(open.authenticate("tw_unknown", request)).rejects.toThrow(/API key is unknown or mistyped/);
});

it.each(["revoked", "expired", "suspended"])("a key that is %s is told as that", async (problem) => {
  const authenticating = withKeys(identity, openAccess(owner)).authenticate(`tw_${problem}`, request);
  await expect(authenticating).rejects.toMatchObject({ code: "invalid_token", message: expect.stringContaining(problem) });
});
