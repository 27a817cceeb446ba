import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { tokenAccess } from "@toolwright/doors/mcp";
import { ANSWER_APPROVALS, type Principal } from "@toolwright/engine";
import type { IdentityAdmin } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { createIdentity } from "@toolwright/postgres";
import { openTestDatabase, type TestDatabase } from "@toolwright/postgres/testing";
import { composeToolwright, type Toolwright } from "@toolwright/server";
import { isPersonThere, withKeys } from "@toolwright/server/http";
import { builtinPermissions } from "@toolwright/tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedHere, serveHere } from "../../../../test/serve-here.ts";
import { createTestIo } from "../../../../test/test-io.ts";
import { readSettings } from "../../../settings.ts";

const policy = "version: 1\ntools: { ask: [file_write] }\n";
const writing = { path: "note.txt", content: "hello" };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwright-answers-"));
  await writeFile(join(folder, "policy.yaml"), policy);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("who may answer an approval, by what they show (R-AP-6)", () => {
  const clock = createManualClock(Date.now());
  let database: TestDatabase;
  let toolwright: Toolwright;
  let identity: IdentityAdmin;
  /** An approval of the tenant acme, asked for by a service of it. */
  let approval: string;
  const people = { boss: "", member: "", stranger: "" };

  beforeAll(async () => {
    database = await openTestDatabase("server");
    const { io } = createTestIo(folder, { env: { DATABASE_URL: database.url } });
    toolwright = await composeToolwright(readSettings({ policy: "policy.yaml" }, io), io, { callsNothing: true });
    identity = createIdentity(database.database, { clock });
    for (const [user, tenant, role] of [
      ["boss", "acme", "owner"],
      ["member", "acme", "member"],
      ["stranger", "other", "owner"],
    ] as const) {
      const email = `${user}@example.org`;
      people[user] = email;
      await database.database.asSystem((query) => query.insertInto("toolwright.users").values({ id: user, name: user, email }).execute());
      const { token } = await identity.inviteMember(tenant, { email, role, by: "test" });
      await identity.acceptInvitations({ user, email }, token);
    }
    const asking: Principal = { tenant: "acme", actor: { kind: "service", id: "ci" }, permissions: builtinPermissions, door: "mcp" };
    const pending = await toolwright.engine.scope(asking, { session: "s" }).invokeNamed("file_write", writing);
    if (pending.status !== "pending") throw new Error(JSON.stringify(pending));
    approval = pending.approval.id;
  });
  afterAll(async () => {
    await toolwright.close();
    await database.cleanup();
  });

  const key = async (more: object, tenant = "acme") =>
    (await identity.createApiKey(tenant, { name: "k", permissions: [ANSWER_APPROVALS], by: "test", ...more })).key;
  const authentication = () =>
    withKeys(
      identity,
      tokenAccess("the operator's secret", {
        tenant: "default",
        actor: { kind: "user", id: "me" },
        permissions: [ANSWER_APPROVALS],
        door: "mcp",
      }),
    );

  /** As the MCP door would: what authentication says, and a client that claims to have its person there. */
  async function answer(token: string | undefined, id: string): Promise<string> {
    const principal = await Promise.resolve(authentication().authenticate(token, new Request("http://127.0.0.1/mcp"))).catch(
      () => undefined,
    );
    if (!principal) return "not let in";
    const interactive = principal.actor.kind === "user" && isPersonThere(principal);
    const scope = toolwright.engine.scope({ ...principal, interactive }, { session: `of-${principal.actor.kind}-${principal.actor.id}` });
    return scope.answer(id, { kind: "approve" }).then(
      () => "approved",
      (error: { code?: string }) => error.code ?? "failed",
    );
  }

  it.each<[string, () => Promise<string | undefined>, string]>([
    ["nothing", async () => undefined, "not let in"],
    ["a key that is none", async () => `tw_${"a".repeat(16)}_${"b".repeat(43)}`, "not let in"],
    ["a key of a service, with the permission", () => key({}), "approval_not_found"],
    ["a key of an agent, with the permission", () => key({ agent: "coder" }), "approval_not_found"],
    ["a key of the owner for an agent, with the permission", () => key({ agent: "coder", user: "boss" }), "approval_not_found"],
    ["a key of a member, whose role lacks the permission", () => key({ user: "member" }), "approval_not_found"],
    ["a key of the owner that lacks the permission", () => key({ user: "boss", permissions: ["*.*.*"] }), "approval_not_found"],
    ["a key of another tenant's owner", () => key({ user: "stranger" }, "other"), "approval_not_found"],
    ["the operator's token, of another tenant", async () => "the operator's secret", "approval_not_found"],
    [
      "a key that was revoked",
      async () => {
        const made = await key({ user: "boss" });
        await identity.revokeApiKey("acme", /tw_([a-z0-9]{16})/.exec(made)?.[1] ?? "");
        return made;
      },
      "not let in",
    ],
    [
      "a key that has expired",
      async () => {
        const made = await key({ user: "boss", days: 1 });
        await clock.advance(25 * 60 * 60 * 1000);
        return made;
      },
      "not let in",
    ],
  ])("not who shows %s; it answers as there were no such approval", async (_, make, expected) => {
    const token = await make();
    expect(await answer(token, approval)).toBe(expected);
    expect(await answer(token, "apr_missing")).toBe(expected);
  });

  it("but a person of the tenant with the permission, by a key that has it too; and only once", async () => {
    const token = await key({ user: "boss" });
    expect(await answer(token, approval)).toBe("approved");
    expect(await answer(token, approval)).toBe("approval_already_answered");
  });
});

describe("a program that says yes to whatever it is asked", () => {
  let server: ServedHere;
  const clients: Client[] = [];
  beforeAll(async () => {
    server = await serveHere(["--auth", "--policy", join(folder, "policy.yaml")]);
    await server.person("boss@example.org", { role: "owner" });
    await server.person("member@example.org");
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await server.stop();
  });

  async function write(key: string): Promise<{ readonly asked: number; readonly text: string }> {
    const client = new Client({ name: "eager", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } } });
    clients.push(client);
    let asked = 0;
    client.setRequestHandler("elicitation/create", async () => {
      asked++;
      return { action: "accept", content: { decision: "approve" } };
    });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
    return { text: JSON.stringify(await client.callTool({ name: "file_write", arguments: writing })), asked };
  }

  it.each([
    ["a service", []],
    ["a service with the permission", ["--permission", ANSWER_APPROVALS]],
    ["an agent", ["--agent", "coder", "--permission", ANSWER_APPROVALS]],
    ["the owner's agent", ["--agent", "coder", "--user", "boss@example.org", "--permission", ANSWER_APPROVALS]],
    ["a member", ["--user", "member@example.org", "--permission", ANSWER_APPROVALS]],
    ["the owner, without the permission", ["--user", "boss@example.org"]],
  ])("is not even asked with a key of %s, and its call waits (R-AP-6)", async (_, options) => {
    const { asked, text } = await write(await server.run("keys", "create", "k", "--permission", "files.*.*", ...options));
    expect(text).toMatch(/Not run yet/);
    expect(asked).toBe(0);
  });

  it("answers its own call with a key of a person that was made to answer", async () => {
    const key = await server.run("keys", "create", "k", "--user", "boss@example.org", "--permission", "files.*.*", ANSWER_APPROVALS);
    const { asked, text } = await write(key);
    expect(asked).toBe(1);
    expect(text).not.toMatch(/Not run yet/);
  });
});
