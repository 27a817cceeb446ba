import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Principal } from "@toolwright/engine";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { conversationsIn, folderOf, removeConversations, type Workspaces, workspacesOf } from "./workspaces.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-workspaces-"));
  await mkdir(join(root, "workspace"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const places = (workspacePer: Workspaces["workspacePer"] = "tenant"): Workspaces => ({
  workspace: join(root, "workspace"),
  tenantWorkspaces: join(root, "tenants"),
  workspacePer,
});
const person = (tenant: string): Principal => ({ tenant, actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" });
const of = (tenant: string) => workspacesOf(places())({ principal: { ...person(tenant), agent: "reviewer" }, session: "s1" });
const inConversation = (session: string, { tenant = "default", agent = "reviewer" } = {}) =>
  workspacesOf(places("conversation"))({ principal: { ...person(tenant), agent }, session });

test("the tenant of the machine has the workspace itself", () => {
  expect(of("default")).toBe(join(root, "workspace"));
});

test("every other tenant has a folder of its own, outside the workspace, for its owner alone", async () => {
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
  expect(() => of("acme")).toThrow(/^The workspace of the call cannot be made \(\w+\)\. An operator .* TOOLWRIGHT_TENANT_WORKSPACES\.$/);
});

describe("with a workspace for each conversation", () => {
  test("each session of an agent has a folder, in that of its tenant", async () => {
    expect(inConversation("s1")).toBe(join(root, "workspace/reviewer/conversations/s1"));
    expect(inConversation("s1", { agent: "writer" })).toBe(join(root, "workspace/writer/conversations/s1"));
    expect(inConversation("s1", { tenant: "acme" })).toBe(join(root, "tenants/acme/reviewer/conversations/s1"));
    expect((await stat(inConversation("s1"))).mode & 0o777).toBe(0o700);
  });

  test("a person without an agent has the folder of the tenant, and sees those of its agents", () => {
    expect(workspacesOf(places("conversation"))({ principal: person("default"), session: "s1" })).toBe(join(root, "workspace"));
  });

  test.each([
    ["slack:channel:U123", /^slack_channel_U123-[0-9a-f]{32}$/],
    ["../../etc", /^______etc-[0-9a-f]{32}$/],
    ["", /^_-[0-9a-f]{32}$/],
    ["-rf", /^_rf-[0-9a-f]{32}$/],
    ["mcp-0123456789abcdef", /^mcp-0123456789abcdef$/],
    ["x".repeat(5_000), /^x{40}-[0-9a-f]{32}$/],
  ])("the session %j is a folder that stays where it belongs", (session, name) => {
    const folder = inConversation(session);
    expect(folder.slice(join(root, "workspace/reviewer/conversations/").length)).toMatch(name);
  });

  test("no two sessions share a folder, also on a disk that does not tell case apart, or when one is named like the folder of another", () => {
    const id = fc.string({ unit: fc.constantFrom("a", "A", "_", ":", "-", "0", "é"), maxLength: 6 });
    const nameOf = (session: string) => inConversation(session).split("/").at(-1)?.toLowerCase() ?? "";
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(nameOf(one) === nameOf(other)).toBe(one === other);
        expect(nameOf(nameOf(one)) === nameOf(one)).toBe(nameOf(one) === one);
      }),
      { numRuns: 200 },
    );
  });

  test.each(["reviewer", "reviewer/conversations", "reviewer/conversations/s1"])(
    "a link at %s is refused: a tool may have made it",
    async (link) => {
      await mkdir(join(root, "elsewhere"));
      await mkdir(join(root, "workspace", link, ".."), { recursive: true });
      await symlink(join(root, "elsewhere"), join(root, "workspace", link));
      expect(() => inConversation("s1")).toThrow(expect.objectContaining({ code: "workspace_missing" }));
      expect(await readdir(join(root, "elsewhere"))).toEqual([]);
    },
  );

  test.each(["..", "a/b", "", "Reviewer"])("an agent named %j has no workspace", (agent) => {
    expect(() => inConversation("s1", { agent })).toThrow(/^The agent ".*" has no workspace/);
  });
});

describe("removing the conversations of an agent", () => {
  const remove = () => removeConversations(conversationsIn(folderOf(places("conversation"), "default"), "reviewer") ?? "none");

  test("takes all of them and nothing of another agent, and gives how many there were", async () => {
    await writeFile(join(inConversation("s1"), "notes.md"), "1");
    await writeFile(join(inConversation("s2"), "notes.md"), "2");
    await writeFile(join(inConversation("s1", { agent: "writer" }), "notes.md"), "3");
    expect(remove()).toBe(2);
    expect(await readdir(join(root, "workspace"))).toEqual(["writer"]);
    expect(remove()).toBe(0);
  });

  test("leaves what else is in the agent's folder, and what a link in a conversation points to", async () => {
    await mkdir(join(root, "workspace/reviewer"));
    await writeFile(join(root, "workspace/reviewer/README.md"), "of a person");
    await writeFile(join(root, "precious.txt"), "kept");
    await symlink(root, join(inConversation("s1"), "up"));
    expect(remove()).toBe(1);
    expect(await readdir(join(root, "workspace/reviewer"))).toEqual(["README.md"]);
    expect(await readdir(root)).toEqual(["precious.txt", "workspace"]);
  });

  test.each(["reviewer", "reviewer/conversations"])("follows no link at %s", async (link) => {
    await mkdir(join(root, "elsewhere/conversations/s1"), { recursive: true });
    await mkdir(join(root, "workspace", link, ".."), { recursive: true });
    await symlink(join(root, "elsewhere"), join(root, "workspace", link));
    expect(remove()).toBe(0);
    expect(await readdir(join(root, "elsewhere/conversations"))).toEqual(["s1"]);
  });

  test("is nothing to do for a name that is none for a folder", () => {
    for (const agent of ["..", "a/b", "Reviewer"]) expect(conversationsIn(root, agent)).toBeUndefined();
  });
});
