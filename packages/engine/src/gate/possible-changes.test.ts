import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS, EXPLAIN_CATALOGUE } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import { defineTool } from "../tool/define-tool.ts";

const common = { output: z.object({}), input: z.object({ url: z.string().optional(), secret: z.string().optional() }), run: () => ({}) };
const open = defineTool({ ...common, name: "open", description: "Opens. To close use close." });
const close = defineTool({ ...common, name: "close", description: "Closes. To open use open." });
const lock = defineTool({ ...common, name: "lock", description: "Locks. To open use open.", permission: "doors.lock" });
const send = defineTool({
  ...common,
  name: "send",
  description: "Sends. To open use open.",
  effects: { http: "write" },
  reaches: ({ url = "https://example.org/", secret }) => [{ kind: "request", method: "GET", url, ...(secret && { credential: secret }) }],
});
const http = { name: "http", open: () => ({}) as never } as CapabilityProvider as CapabilityProvider<"http">;

const engine = createEngine({
  tools: [open, close, lock, send],
  policy: { version: 1, autonomy: "full", tools: { deny: ["close"], ask: ["open"] } },
  capabilities: [http],
  locateRule: (rule) => (rule.startsWith("tools.") ? { file: "policy.yaml", line: 3, column: 9 } : undefined),
});
const principalWith = (...permissions: string[]): Principal => ({
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions,
  door: "form",
  interactive: true,
});
const why = async (tool: string, input?: object, principal = principalWith(EXPLAIN_CATALOGUE)) =>
  (await engine.operate(principal, "policy.why", { tool, ...(input && { input: input as never }) })).explanation;
const kinds = (changes: Awaited<ReturnType<typeof why>>["changes"]) => changes?.map(({ kind }) => kind);

describe("an explanation says what would change the answer", () => {
  it("nothing, of a call that runs", async () => {
    expect((await why("send", {})).changes).toBeUndefined();
  });

  it("the policy or a grant, of one that asks", async () => {
    const { changes } = await why("open", {});
    expect(kinds(changes)).toEqual(["policy", "grant"]);
  });

  it("the policy alone, of one that is denied", async () => {
    expect(kinds((await why("close")).changes)).toEqual(["policy"]);
  });

  it("a permission, of a tool that is hidden for the lack of it", async () => {
    const { visible, changes } = await why("lock", {});
    expect({ visible, changes }).toEqual({
      visible: false,
      changes: [{ kind: "permission", text: 'Give the caller a role with the permission "doors.lock".' }],
    });
    expect((await why("lock", {}, principalWith())).changes).toBeUndefined();
  });

  it("a secret, of a call that names one that nobody set", async () => {
    expect((await why("send", { secret: "TOKEN" })).changes).toEqual([{ kind: "secret", text: 'Set the secret "TOKEN".' }]);
  });

  it("the input, where it does not fit", async () => {
    expect(kinds((await why("send", { url: 5 })).changes)).toEqual(["input"]);
  });
});

describe("where a rule stands", () => {
  it("is told of each rule that a file says", async () => {
    expect((await why("open", {})).places).toEqual({ "tools.ask[0]": { file: "policy.yaml", line: 3, column: 9 } });
    expect((await why("send", {})).places).toBeUndefined();
  });

  it("is not told to those who may not be told why tools are hidden", async () => {
    expect(await why("open", {}, principalWith())).not.toHaveProperty("places");
  });
});

describe("an approval is explained for the one that asked", () => {
  const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };

  it("with the place of its rule for those who may be told", async () => {
    const asked = await engine.scope(agent, { session: "s1" }).invokeNamed("open", {});
    const id = asked.status === "pending" ? asked.approval.id : "";
    const explain = async (principal: Principal) => (await engine.operate(principal, "approvals.why", { id })).explanation;
    const explained = await explain(principalWith(ANSWER_APPROVALS, EXPLAIN_CATALOGUE));
    expect(explained).toMatchObject({ visible: true, decision: { effect: "ask" }, places: { "tools.ask[0]": { line: 3 } } });
    expect(explained.admission?.checks).toContainEqual(expect.objectContaining({ check: "agent_enablement", passed: true }));
    expect(explained.text).toContain("open");
    expect(await explain(agent)).not.toHaveProperty("places");
    await expect(explain(principalWith())).rejects.toMatchObject({ code: "approval_not_found" });
  });
});
