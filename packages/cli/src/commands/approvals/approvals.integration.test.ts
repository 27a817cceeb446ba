import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { InvokeOptions, Principal } from "@toolwright/engine";
import { openTestDatabase, type TestDatabase } from "@toolwright/postgres/testing";
import { composeToolwright, type Toolwright } from "@toolwright/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestIo, runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";
import { readSettings } from "../../settings.ts";

let cwd: string;
let database: TestDatabase;
let toolwright: Toolwright;
beforeAll(async () => {
  // With the tenants acme and other.
  database = await openTestDatabase("server");
  cwd = await mkdtemp(join(tmpdir(), "toolwright-approvals-"));
  await writeFile(join(cwd, "policy.yaml"), "version: 1\ntools: { ask: [file_write] }\n");
  const { io } = createTestIo(cwd, { env: { DATABASE_URL: database.url } });
  toolwright = await composeToolwright(readSettings({ policy: "policy.yaml" }, io), io, { callsNothing: true });
});
afterAll(async () => {
  await toolwright.close();
  await database.cleanup();
  await rm(cwd, { recursive: true, force: true });
});

const run = (...argv: string[]) => runIn(cwd, [...argv, "--policy", "policy.yaml"], { env: { DATABASE_URL: database.url } });
const inAcme = ["--tenant", "acme"];
const service: Principal = { tenant: "acme", actor: { kind: "service", id: "ci" }, permissions: ["files.tenant.update"], door: "mcp" };

/** A call of a program of acme, which no key could answer. */
async function ask(path: string, options: InvokeOptions = {}): Promise<string> {
  const scope = toolwright.engine.scope(service, { session: "s" });
  const pending = await scope.invokeNamed("file_write", { path, content: "hello" }, options);
  if (pending.status !== "pending") throw new Error(JSON.stringify(pending));
  return pending.approval.id;
}

const ofAcme = (path: string) => join(cwd, "workspace.tenants", "acme", path);

test("a call of another tenant is found, shown, approved and run there, as whoever asked", async () => {
  const id = await ask("a.txt");
  const here = await run("approvals", "list");
  expect(here).toMatchObject({ out: "No call waits for a person.\n", err: "1 more waits in other tenants: --tenant acme\n" });
  expect((await run("approvals", "show", id)).code).toBe(exitCodes.usage);
  expect((await run("approvals", "approve", id, "--tenant", "other")).code).toBe(exitCodes.usage);

  const there = await run("approvals", "list", ...inAcme);
  expect(there).toMatchObject({ out: expect.stringContaining(id), err: "" });
  expect((await run("approvals", "show", id, ...inAcme)).out).toMatch(/caller +service ci, by mcp/);
  const early = await run("approvals", "run", id, ...inAcme);
  expect(early).toMatchObject({ code: exitCodes.pending, err: expect.stringContaining(`approve ${id} --run --tenant acme`) });

  expect(await run("approvals", "approve", id, "--run", ...inAcme)).toMatchObject({ code: exitCodes.done });
  expect(await readFile(ofAcme("a.txt"), "utf8")).toBe("hello");
  expect(existsSync(join(cwd, "workspace", "a.txt"))).toBe(false);
  const { actor } = (await toolwright.store.events.read({ tenant: "acme", session: "s", after: 0, limit: 100 })).at(-1)?.event ?? {};
  expect(actor).toEqual(service.actor);
});

test("a yes for another tenant is by the operator, and may be remembered there and taken back", async () => {
  const id = await ask("b.txt");
  const approved = await run("approvals", "approve", id, "--remember", "tenant", "--json", ...inAcme);
  expect(JSON.parse(approved.out)).toMatchObject({ answer: { by: { kind: "user", id: userInfo().username } } });
  expect(approved.err).toContain(`approvals run ${id} --tenant acme`);
  const [, grant = ""] = /grants revoke (\S+) --tenant acme/.exec(approved.err) ?? [];
  expect((await run("grants", "list")).out).not.toContain(grant);
  expect((await run("grants", "list", ...inAcme)).out).toContain(grant);
  const revoked = await run("grants", "revoke", grant, "--json", ...inAcme);
  expect(JSON.parse(revoked.out)).toEqual({ revoked: grant });
});

test("a call that came with files is left to its caller, who has them", async () => {
  const id = await ask("f.txt", { attachments: [{ name: "a.txt", mediaType: "text/plain", bytes: async () => new Uint8Array(1) }] });
  const { err } = await run("approvals", "approve", id, ...inAcme);
  expect(err).toBe("Approved. It runs when its caller makes the same call again with the same files.\n");
});

test("nothing is run for a tenant that is suspended, and the approval stays open", async () => {
  const id = await ask("c.txt");
  await run("tenants", "suspend", "acme");
  const refused = await run("approvals", "approve", id, "--run", ...inAcme);
  await run("tenants", "resume", "acme");
  expect(refused).toMatchObject({ code: exitCodes.failed, err: expect.stringContaining("is suspended") });
  expect((await run("approvals", "show", id, ...inAcme)).out).toMatch(/state +open/);
});

test("an answer is told with who gave it, when and in which words, before what became of it", async () => {
  const id = await ask("d.txt");
  const denied = await run("approvals", "deny", id, "--message", "Not on a Friday.", "--json", ...inAcme);
  expect(JSON.parse(denied.out)).toMatchObject({ record: { id }, answer: { outcome: { kind: "deny" } } });
  await run("approvals", "run", id, ...inAcme);
  const said = `denied by user ${userInfo().username} at \\d{4}-\\S+: "Not on a Friday\\."`;
  expect((await run("approvals", "show", id, ...inAcme)).out).toMatch(new RegExp(`state +${said}\n +used at \\d{4}-`));
  const second = await run("approvals", "approve", id, ...inAcme);
  expect(second).toMatchObject({ code: exitCodes.failed, err: expect.stringMatching(new RegExp(`was answered before: ${said}`)) });
});

test.each([
  "tools list",
  "runs list",
  "usage",
  "log sessions",
  "log export",
  "jobs list",
  "schedule list",
  "approvals list",
  "grants list",
  "secrets list",
  "keys list",
])("%s says of a tenant that is not there that it is none", async (command) => {
  expect(await run(...command.split(" "), "--tenant", "nope")).toMatchObject({
    code: exitCodes.usage,
    out: "",
    err: 'There is no tenant "nope", so nothing ran. Make it with store.tenants.ensure("nope"), or with: toolwright tenants create nope\n',
  });
});

test.each(["show", "approve", "deny", "run"])("an unknown id is answered with what to do: %s", async (command) => {
  expect(await run("approvals", command, "apr_none")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringMatching(/There is no approval "apr_none"\. See the open ones with: toolwright approvals list/),
  });
});
