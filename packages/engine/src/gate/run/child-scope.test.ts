import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import type { EngineOptions } from "../../engine-types.ts";
import { createMemorySecretStore } from "../../memory/secret-store.ts";
import { defaultPolicy } from "../../policy/document/policy-document.ts";
import type { CapabilityProvider } from "../../ports/capability.ts";
import type { Exec } from "../../ports/exec.ts";
import { everythingEnabled } from "../../ports/visibility-facts.ts";
import { type AnyTool, defineTool } from "../../tool/define-tool.ts";

const boss: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  agent: "boss",
  permissions: [ANSWER_APPROVALS],
  door: "cli",
  interactive: true,
};
const io = { input: z.object({}), output: z.object({ judged: z.string() }) };
/** Says nothing beforehand about the command that it runs. */
const build = defineTool({
  name: "build",
  description: "Builds the project.",
  ...io,
  effects: { exec: "run" },
  run: async (_, { exec }) => ({ judged: (await exec.run({ command: "ls" })).stdout }),
}) as AnyTool;
const mail = defineTool({
  name: "mail",
  description: "Sends a mail.",
  ...io,
  effects: { secrets: ["MAIL"] },
  run: () => ({ judged: "sent" }),
}) as AnyTool;
const wipe = defineTool({
  name: "wipe",
  description: "Wipes everything.",
  ...io,
  effects: { destructive: true },
  run: () => ({ judged: "wiped" }),
}) as AnyTool;

const exec: CapabilityProvider<"exec"> = {
  name: "exec",
  open: (_, site) => ({ run: async ({ command }) => ({ stdout: site.judge({ kind: "command", command }).effect }) }) as Exec,
};

function setUp(options: EngineOptions = {}) {
  const secrets = createMemorySecretStore();
  void secrets.set({ tenant: "acme", name: "MAIL" }, "key-of-the-mail");
  const engine = createEngine({
    tools: [build, mail, wipe],
    capabilities: [exec],
    secrets,
    policy: [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full" } }],
    machine: () => ({ sandbox: { available: true, detail: "test" } }),
    ...options,
  });
  return engine.scope(boss, { session: "s1" });
}
const asking = { policy: [{ tier: "platform", document: defaultPolicy }] } as const;

describe("the scope of a sub-agent", () => {
  it("lists, finds and explains only what its bounds name", () => {
    const child = setUp().child({ agent: "worker", ceiling: { tools: ["build", "mail"], secrets: [] } });
    expect(child.list().map(({ name }) => name)).toEqual(["build"]);
    expect(child.find("mail")).toBeUndefined();
    expect(child.why("mail", {}).decision).toMatchObject({ effect: "deny", rule: "delegated.worker.ceiling.secrets" });
  });

  it("is held to its bounds while a tool runs that said nothing beforehand", async () => {
    const parent = setUp();
    const judged = async (commands: string[]) => parent.child({ agent: "worker", ceiling: { commands } }).invokeNamed("build", {});
    expect(await judged(["ls"])).toMatchObject({ output: { judged: "allow" } });
    expect(await judged(["npm test"])).toMatchObject({ output: { judged: "deny" } });
  });

  it("is admitted to no tool that its parent is not admitted to", async () => {
    const visibility = {
      ...everythingEnabled,
      agentTools: (_: string, agent: string) => (agent === "boss" ? new Set(["mail"]) : undefined),
    };
    const child = setUp({ visibility }).child({ agent: "worker" });
    expect(child.list().map(({ name }) => name)).toEqual(["mail"]);
    expect(await child.invokeNamed("build", {})).toMatchObject({ error: { code: "tool_not_found" } });
  });

  it("has nothing of its parent's harness, also where that is its only bound", async () => {
    const own = { ...build, name: "room_close", visibility: { harness: "room" } };
    const engine = createEngine({ tools: [own as AnyTool], capabilities: [exec] });
    const parent = engine.scope({ ...boss, harness: ["room"] }, { session: "s1" });
    expect(parent.find("room_close")).toBeDefined();
    const child = parent.child({ agent: "worker" });
    expect(child.find("room_close")).toBeUndefined();
    expect(await child.invokeNamed("room_close", {})).toMatchObject({ error: { code: "tool_not_found" } });
  });

  it("gets an approval of its own: none of its parent's, and none of its siblings'", async () => {
    const parent = setUp(asking);
    const [first, second] = [parent.child({ agent: "a" }), parent.child({ agent: "b" })];
    const [one, two] = [await first.invokeNamed("wipe", {}), await second.invokeNamed("wipe", {})];
    if (one.status !== "pending" || two.status !== "pending") throw new Error("expected both to wait");
    await parent.answer(one.approval.id, { kind: "approve" });
    expect(await second.resume(one.approval.id)).toMatchObject({ error: { code: "approval_not_found" } });
    expect(await second.resume(two.approval.id)).toMatchObject({ status: "pending" });
    expect(await first.resume(one.approval.id)).toMatchObject({ status: "done" });
  });

  it("answers no approval and gives no grant, whatever its parent may (R-AP-6)", async () => {
    const parent = setUp(asking);
    const child = parent.child({ agent: "worker" });
    const own = await child.invokeNamed("wipe", {});
    if (own.status !== "pending") throw new Error(own.status);
    await expect(child.answer(own.approval.id, { kind: "approve" })).rejects.toMatchObject({ code: "approval_not_allowed" });
    await expect(child.grant({ tool: "build", scope: "agent", allows: [{ kind: "command", pattern: "ls" }] })).rejects.toMatchObject({
      code: "grant_not_allowed",
    });
  });

  it("does not use what was remembered for its parent, and is denied what asks when nobody is to be asked", async () => {
    const parent = setUp(asking);
    const pending = await parent.invokeNamed("wipe", {});
    if (pending.status !== "pending") throw new Error(pending.status);
    await parent.answer(pending.approval.id, { kind: "approve", remember: { scope: "agent" } });
    expect((await parent.invokeNamed("wipe", {})).status).toBe("done");
    expect((await parent.child({ agent: "worker" }).invokeNamed("wipe", {})).status).toBe("pending");
    expect((await parent.child({ agent: "worker", unattended: true }).invokeNamed("wipe", {})).status).toBe("denied");
  });

  it("is bound by what its own parent is bound by, after a grandchild loosens everything", async () => {
    const grandchild = setUp()
      .child({ agent: "a", ceiling: { tools: ["mail"] } })
      .child({ agent: "b", ceiling: { tools: ["mail", "build"] } });
    expect(grandchild.list().map(({ name }) => name)).toEqual(["mail"]);
  });
});
