import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@toolwright/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { holdStore } from "../../../test/hold-store.ts";
import { runIn } from "../../../test/test-io.ts";

let root: string;
let store: Store;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-identity-"));
  store = await holdStore(join(root, "state"));
});
afterAll(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

const run = (...argv: string[]) => runIn(root, argv, { env: { TOOLWRIGHT_STATE: join(root, "state") } });

it("makes, lists, suspends and resumes tenants", async () => {
  expect(JSON.parse((await run("tenants", "create", "acme", "--name", "Acme", "--json")).out)).toMatchObject({
    tenant: "acme",
    name: "Acme",
  });
  expect(await run("tenants", "create", "acme")).toMatchObject({ code: 2, out: "" });
  expect(JSON.parse((await run("tenants", "suspend", "acme", "--json")).out)).toMatchObject({
    tenant: "acme",
    suspendedAt: expect.any(Number),
  });
  expect((await run("tenants", "list")).out).toMatch(/acme +suspended .*Acme/);
  expect(JSON.parse((await run("tenants", "resume", "acme", "--json")).out)).not.toHaveProperty("suspendedAt");
  const listed = JSON.parse((await run("tenants", "list", "--json")).out) as object[];
  expect(listed).toEqual([expect.objectContaining({ tenant: "acme" }), expect.objectContaining({ tenant: "default" })]);
  expect(JSON.stringify(listed)).not.toContain("suspendedAt");
});

it("shows a key once, and lists what it may", async () => {
  const made = await run("keys", "create", "ci", "--permission", "entities.*.read", "tools.tenant.create", "--agent", "coder", "--json");
  const { key, id } = JSON.parse(made.out) as { key: string; id: string };
  expect(key).toContain(`tw_${id}_`);
  const list = await run("keys", "list");
  expect(list.out).toMatch(new RegExp(`${id} +ci +until .* never +for coder entities.\\*.read tools.tenant.create`));
  expect(list.out + (await run("keys", "list", "--json")).out).not.toContain(key.slice(-43));
  expect((await run("keys", "revoke", id, "--tenant", "acme")).code).toBe(2);
  expect(JSON.parse((await run("keys", "revoke", id, "--json")).out)).toEqual({ revoked: id });
  expect(JSON.parse((await run("keys", "list", "--json")).out)).toEqual([expect.objectContaining({ id, revokedAt: expect.any(Number) })]);
});

it.each([
  { name: "a permission that is none", argv: ["keys", "create", "x", "--permission", "everything"], words: "not a permission" },
  { name: "a key for no day", argv: ["keys", "create", "x", "--days", "0"], words: "1 to 3650" },
  { name: "a key with a name of two lines", argv: ["keys", "create", "a\nb"], words: "1 to 100 characters" },
  {
    name: "a tenant whose name a terminal obeys",
    argv: ["tenants", "create", "g", "--name", "Ga\u001b[31m"],
    words: "1 to 100 characters",
  },
  { name: "a tenant with a name without end", argv: ["tenants", "create", "g", "--name", "x".repeat(101)], words: "1 to 100 characters" },
  { name: "a tenant without a name", argv: ["tenants", "create", "g", "--name", " "], words: "1 to 100 characters" },
  { name: "a name that a terminal obeys, in words that it does not", argv: ["tenants", "create", "g\u001b[31m"], words: "g<U+001B>[31m" },
  { name: "an option that a terminal obeys, in words that it does not", argv: ["keys", "list", "--x\u001b[31m"], words: "--x<U+001B>[31m" },
  { name: "a key for ever", argv: ["keys", "create", "x", "--days", "99999"], words: "1 to 3650" },
  { name: "a tenant that there is not", argv: ["users", "invite", "a@example.org", "--tenant", "nowhere"], words: "There is no tenant" },
  { name: "a role that there is not", argv: ["users", "invite", "a@example.org", "--role", "king"], words: "There is no role" },
  { name: "an address that is none", argv: ["users", "invite", "somebody"], words: "not an e-mail address" },
  { name: "somebody who is no member", argv: ["users", "remove", "a@example.org"], words: "not a member" },
])("refuses $name, and says what to do", async ({ argv, words }) => {
  const { code, out, err } = await run(...argv);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toContain(words);
});

it("says of a key that was given no permission what it cannot do, and what to write", async () => {
  expect((await run("keys", "create", "plain")).err).toMatch(/only tools that ask for no permission\..*--permission/);
  expect((await run("keys", "create", "reader", "--permission", "*.*.read")).err).not.toContain("no permission");
});

it("makes no key for an agent that a tenant with agents does not have", async () => {
  await run("agents", "create", "coder", "--tenant", "acme");
  const make = (agent: string) => run("keys", "create", "bot", "--agent", agent, "--tenant", "acme");
  expect(await make("codr")).toMatchObject({ code: 2, out: "", err: expect.stringContaining('Did you mean "coder"?') });
  expect(await make("coder")).toMatchObject({ code: 0, err: expect.stringMatching(/keys revoke \S+ --tenant acme/) });
});

it("invites with a link, and lists who is asked in", async () => {
  const invited = JSON.parse((await run("users", "invite", "Ann@Example.org", "--role", "owner", "--json")).out) as { link: string };
  expect(invited.link).toMatch(/\/auth\/accept\?token=[\w-]{43}$/);
  expect((await run("users", "list")).out).toMatch(/ann@example.org +owner +invited until/);
  const again = (await run("users", "invite", "ann@example.org")).out;
  expect(again).not.toContain(invited.link);
  expect((JSON.parse((await run("users", "list", "--json")).out) as { invited: object[] }).invited).toHaveLength(1);
  expect(JSON.parse((await run("users", "remove", "ANN@example.org", "--json")).out)).toEqual({
    removed: "ANN@example.org",
    was: "invitation",
  });
  expect((JSON.parse((await run("users", "list", "--json")).out) as { invited: object[] }).invited).toEqual([]);
});

it("says beside the JSON of an invitation for whom the link is, and where it leads", async () => {
  const { out, err } = await run("users", "invite", "eve@example.org", "--json");
  expect(JSON.parse(out)).toMatchObject({ email: "eve@example.org", role: "member", link: expect.stringContaining("/auth/accept?token=") });
  expect(err).toMatch(/^Send this link to eve@example\.org and nobody else\..*\nThe link leads to http:\/\/127\.0\.0\.1:7777\./);
  await run("users", "remove", "eve@example.org");
});

it("writes links to where people reach the server, says where it only guesses, and makes none for an address that is none", async () => {
  const invite = (email: string, url?: string) =>
    runIn(root, ["users", "invite", email], { env: { TOOLWRIGHT_STATE: join(root, "state"), ...(url && { TOOLWRIGHT_URL: url }) } });
  expect(await invite("one@example.org")).toMatchObject({
    out: expect.stringMatching(/^http:\/\/127\.0\.0\.1:7777\/auth\/accept\?token=\S+\n$/),
    err: expect.stringContaining("set TOOLWRIGHT_URL"),
  });
  const named = await invite("two@example.org", "https://tools.example.org/");
  expect(named.out).toMatch(/^https:\/\/tools\.example\.org\/auth\/accept\?/);
  expect(named.err).not.toContain("TOOLWRIGHT_URL");
  expect(await invite("three@example.org", "tools.example.org")).toMatchObject({ code: 2, out: "" });
  expect((await run("users", "list")).out).not.toContain("three@example.org");
});

it("tells as JSON who has which role now, and who is out", async () => {
  const identity = store.openIdentity();
  for (const [user, role] of [
    ["owner", "owner"],
    ["bob", "viewer"],
  ] as const) {
    const email = `${user}@example.com`;
    await store.database.asSystem((query) => query.insertInto("toolwright.users").values({ id: user, name: user, email }).execute());
    const { token } = await identity.inviteMember("acme", { email, role, by: "test" });
    await identity.acceptInvitations({ user, email }, token);
  }
  const bob = "Bob@example.com";
  expect(JSON.parse((await run("users", "set-role", bob, "member", "--tenant", "acme", "--json")).out)).toMatchObject({
    user: "bob",
    role: "member",
  });
  expect(JSON.parse((await run("users", "remove", bob, "--tenant", "acme", "--json")).out)).toEqual({ removed: bob, was: "member" });
});
