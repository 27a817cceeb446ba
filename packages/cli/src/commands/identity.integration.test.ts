import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runIn } from "../../test/test-io.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-identity-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const run = (...argv: string[]) => runIn(root, argv, { env: { TOOLWRIGHT_STATE: join(root, "state") } });

it("makes, lists, suspends and resumes tenants", async () => {
  expect(JSON.parse((await run("tenants", "create", "acme", "--name", "Acme", "--json")).out)).toMatchObject({
    tenant: "acme",
    name: "Acme",
  });
  expect(await run("tenants", "create", "acme")).toMatchObject({ code: 1, out: "" });
  await run("tenants", "suspend", "acme");
  expect((await run("tenants", "list")).out).toMatch(/acme +suspended .*Acme/);
  await run("tenants", "resume", "acme");
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
  expect((await run("keys", "revoke", id, "--tenant", "acme")).code).toBe(1);
  expect((await run("keys", "revoke", id)).code).toBe(0);
  expect(JSON.parse((await run("keys", "list", "--json")).out)).toEqual([expect.objectContaining({ id, revokedAt: expect.any(Number) })]);
});

it.each([
  { name: "a permission that is none", argv: ["keys", "create", "x", "--permission", "everything"], words: "not a permission" },
  { name: "a key for ever", argv: ["keys", "create", "x", "--days", "99999"], words: "1 to 3650" },
  { name: "a tenant that there is not", argv: ["users", "invite", "a@example.org", "--tenant", "nowhere"], words: "There is no tenant" },
  { name: "a role that there is not", argv: ["users", "invite", "a@example.org", "--role", "king"], words: "There is no role" },
  { name: "an address that is none", argv: ["users", "invite", "somebody"], words: "not an e-mail address" },
  { name: "somebody who is no member", argv: ["users", "remove", "a@example.org"], words: "not a member" },
])("refuses $name, and says what to do", async ({ argv, words }) => {
  const { code, out, err } = await run(...argv);
  expect(code).toBe(1);
  expect(out).toBe("");
  expect(err).toContain(words);
});

it("invites with a link, and lists who is asked in", async () => {
  const invited = JSON.parse((await run("users", "invite", "Ann@Example.org", "--role", "owner", "--json")).out) as { link: string };
  expect(invited.link).toMatch(/\/auth\/accept\?token=[\w-]{43}$/);
  expect((await run("users", "list")).out).toMatch(/ann@example.org +owner +invited until/);
  const again = (await run("users", "invite", "ann@example.org")).out;
  expect(again).not.toContain(invited.link);
  expect((JSON.parse((await run("users", "list", "--json")).out) as { invited: object[] }).invited).toHaveLength(1);
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
