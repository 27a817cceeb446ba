import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import { createMemorySecretStore } from "../../memory/secret-store.ts";
import { parsePolicyDocument } from "../../policy/document/policy-document.ts";
import { sharedSessions } from "../../testing/shared-sessions.ts";
import { defineTool } from "../../tool/define-tool.ts";

const helper: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const ann: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: [ANSWER_APPROVALS],
  door: "cli",
  interactive: true,
};

function setUp(principal: Principal = helper) {
  const secrets = createMemorySecretStore();
  const token = { tenant: "acme", name: "TOKEN" };
  const other = { tenant: "acme", name: "OTHER" };
  const binding = { hosts: ["api.example"] };
  void secrets.set(token, "the-value-itself", binding);
  void secrets.set(other, "another-value", binding);
  const run = vi.fn(async () => ({ sent: true }));
  const send = defineTool({
    name: "send",
    description: "Sends.",
    input: z.object({ url: z.string(), credential: z.string().nullish() }),
    output: z.object({ sent: z.boolean() }),
    effects: { http: "write" },
    reaches: ({ url, credential }) => [{ kind: "request", url, method: "POST", credential: credential ?? undefined }],
    run,
  });
  const policy = [{ tier: "platform" as const, document: parsePolicyDocument({ version: 1, network: { allow: ["api.example"] } }) }];
  const capabilities = [
    { name: "http" as const, open: () => ({ anyMethod: true as const, request: () => Promise.reject(new Error("unused")) }) },
  ];
  const engine = createEngine({ tools: [send], secrets, policy, capabilities, sessions: sharedSessions({ ids: ["s"] }) });
  const person = engine.scope(ann, { session: "s" });
  const scope = engine.scope(principal, { session: "s" });
  const call = (credential?: string) => scope.invoke("send", { url: "https://api.example/x", ...(credential && { credential }) });
  const ask = async (credential?: string) => {
    const result = await call(credential);
    if (result.status !== "pending") throw new Error(JSON.stringify(result));
    return result;
  };
  return { secrets, token, other, binding, run, scope, person, call, ask };
}

describe("a call that names a stored secret (R-NW-5)", () => {
  it("is shown with the name of the secret, and never its value", async () => {
    const { ask } = setUp();
    const shown = JSON.stringify(await ask("TOKEN"));
    expect(shown).toContain('The secret \\"TOKEN\\" is sent along.');
    expect(shown).toContain("api.example");
    expect(shown).not.toContain("the-value-itself");
  });

  const changes: [string, (scene: ReturnType<typeof setUp>) => Promise<unknown>][] = [
    ["was set anew", ({ secrets, token, binding }) => secrets.set(token, "a-new-value", binding)],
    ["may be sent elsewhere", ({ secrets, token }) => secrets.set(token, "the-value-itself")],
    [
      "became one of the agent's own",
      ({ secrets, token, binding }) => secrets.set({ ...token, agent: "helper" }, "its-own-value", binding),
    ],
    ["was removed", ({ secrets, token }) => secrets.remove(token)],
  ];
  it.each(changes)("has a void approval once the secret %s", async (_, change) => {
    const scene = setUp();
    const { approval } = await scene.ask("TOKEN");
    await scene.person.answer(approval.id, { kind: "approve" });
    await change(scene);
    expect(await scene.scope.resume(approval.id)).toMatchObject({
      status: "failed",
      error: { code: "approval_void", message: expect.stringContaining("secret") },
    });
    expect(scene.run).not.toHaveBeenCalled();
  });

  it("runs when another secret changed meanwhile", async () => {
    const { ask, person, scope, secrets, other } = setUp();
    const { approval } = await ask("TOKEN");
    await person.answer(approval.id, { kind: "approve" });
    await secrets.set(other, "a-new-value");
    expect(await scope.resume(approval.id)).toMatchObject({ status: "done" });
  });

  it.each([
    ["with it", "TOKEN", { TOKEN: "done", OTHER: "pending", none: "pending" }],
    ["without any", undefined, { TOKEN: "pending", OTHER: "pending", none: "done" }],
  ] as const)("is covered by a remembered yes to the same call %s, and by no other", async (_, credential, expected) => {
    const { ask, person, call } = setUp();
    const { approval } = await ask(credential);
    await person.answer(approval.id, { kind: "approve", remember: { scope: "session" } });
    const statuses = { TOKEN: await call("TOKEN"), OTHER: await call("OTHER"), none: await call() };
    expect(Object.fromEntries(Object.entries(statuses).map(([name, { status }]) => [name, status]))).toEqual(expected);
  });

  it.each([
    ["is denied to a sub-agent whose bounds leave the secret out", { secrets: ["OTHER"] }, "denied"],
    ["is asked about for one whose bounds hold it", { secrets: ["TOKEN"] }, "pending"],
  ])("%s", async (_, ceiling, status) => {
    const child: Principal = { ...helper, agent: "worker", delegated: { from: helper, ceiling } };
    expect(await setUp(child).call("TOKEN")).toMatchObject({ status });
  });
});
