import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolwrightError } from "../../contract/errors.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import type { Engine } from "../../engine-types.ts";
import { createMemoryApprovalStore } from "../../memory/approval-store.ts";
import type { CapabilityProvider } from "../../ports/capability.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { type AnyTool, defineTool } from "../../tool/define-tool.ts";
import { fail } from "../../tool/result.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const person: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: [ANSWER_APPROVALS],
  door: "form",
  interactive: true,
};

const put = defineTool({
  name: "put",
  description: "Puts a text in a file. To read it use get.",
  input: z.object({ path: z.string(), text: z.string(), from: z.string().optional(), note: z.string().optional() }),
  output: z.object({}),
  effects: { files: "write" },
  approval: "always_ask",
  reaches: ({ path, from = path }) =>
    [path, from].flatMap((one) => (one === "unsaid" ? [] : [{ kind: "path", path: one, access: "write" } as const])),
  preview: ({ path, from, text }) => [
    {
      ...{ kind: "file", path, ...(from !== undefined && { from }), shows: ["path", "text"] },
      apply: () => (text === "bad" ? fail("bad", "It is bad.") : text),
    },
  ],
  run: () => ({}),
});
const send = defineTool({
  name: "send",
  description: "Sends a text. To read one use get.",
  input: z.object({ to: z.string(), secret: z.string() }),
  output: z.object({}),
  effects: { http: "write" },
  approval: "always_ask",
  reaches: ({ to, secret }) => [{ kind: "request", method: "POST", url: to, credential: secret }],
  run: () => ({}),
});
const shell = defineTool({
  name: "shell",
  description: "Runs a line. To read a file use get.",
  input: z.object({ line: z.string() }),
  output: z.object({}),
  approval: "always_ask",
  reaches: ({ line }) => [{ kind: "command", command: line }],
  run: () => ({}),
});

const texts: Readonly<Record<string, string>> = { "old.txt": "one\n" };
const files = {
  name: "files",
  open: () => ({}) as never,
  async before(reach) {
    if (reach.kind !== "path") return undefined;
    if (reach.path === "closed") throw new ToolwrightError("path_refused", "It is closed.");
    return { text: texts[reach.path] };
  },
} as CapabilityProvider as CapabilityProvider<"files">;
const http = { name: "http", open: () => ({}) as never } as CapabilityProvider as CapabilityProvider<"http">;

function setUp() {
  const clock = createManualClock();
  return { clock, engine: createEngine({ tools: [put, send, shell], capabilities: [files, http], clock }) };
}

async function ask(engine: Engine, name: string, input: object): Promise<string> {
  const result = await engine.scope(agent, { session: "s1" }).invokeNamed(name, input);
  if (result.status !== "pending") throw new Error(`expected pending, got ${JSON.stringify(result)}`);
  return result.approval.id;
}

const look = async (engine: Engine, id: string, principal = person) => (await engine.operate(principal, "approvals.preview", { id })).items;

describe("what a person sees of a call before it runs", () => {
  it.each([
    { name: "a new file", input: { path: "new.txt", text: "two\n" }, item: { after: "two\n", shows: ["path", "text"] } },
    { name: "a file that is there", input: { path: "old.txt", text: "two\n" }, item: { before: "one\n", after: "two\n" } },
    {
      name: "a file that moves, compared with what it was",
      input: { path: "new.txt", from: "old.txt", text: "two\n" },
      item: { before: "one\n", after: "two\n" },
    },
    {
      name: "a file that comes from where no reach is",
      input: { path: "new.txt", from: "unsaid", text: "a" },
      item: { problem: expect.stringContaining("does not say") },
    },
    {
      name: "a call that would fail",
      input: { path: "old.txt", text: "bad" },
      item: { problem: "The call would fail: It is bad.", shows: [] },
    },
    { name: "a file that nobody may read", input: { path: "closed", text: "a" }, item: { problem: "It is closed.", shows: [] } },
    {
      name: "a file that no reach names",
      input: { path: "unsaid", text: "a" },
      item: { problem: expect.stringContaining("does not say") },
    },
    {
      name: "a text that is too large",
      input: { path: "new.txt", text: "é".repeat(200_000) },
      item: { problem: expect.stringContaining("bytes") },
    },
  ])("$name", async ({ input, item }) => {
    const { engine } = setUp();
    expect(await look(engine, await ask(engine, "put", input))).toMatchObject([{ kind: "file", path: input.path, ...item }]);
  });

  it("a request that only its reach tells of, with its secret by name", async () => {
    const { engine } = setUp();
    const id = await ask(engine, "send", { to: "https://example.org/a?b=1", secret: "TOKEN" });
    expect(await look(engine, id)).toEqual([
      { kind: "request", method: "POST", url: "https://example.org/a?b=1", credential: "TOKEN", headers: [], shows: ["to"] },
    ]);
  });

  it.each([
    { line: "cd site && npm run build; git push", sources: ["cd site", "npm run build", "git push"] },
    { line: "ls -la && ls", sources: ["ls -la", "ls"] },
    { line: "for a in 1; do ls; done", sources: ["ls"] },
    { line: "for ((a = 1; a < 2; a++)); do ls; done", sources: [undefined] },
    { line: "git \\\n push", sources: [undefined] },
  ])("a line piece by piece, and nothing of it is missing: $line", async ({ line, sources }) => {
    const { engine } = setUp();
    const [item] = await look(engine, await ask(engine, "shell", { line }));
    if (item?.kind !== "command") throw new Error("expected a command");
    expect(item.pieces.map(({ text }) => text).join("")).toBe(line);
    expect(item.pieces.map(({ source }) => source)).toEqual(sources);
    expect(item.shows).toEqual(["line"]);
  });

  it("is for who may answer, while it waits", async () => {
    const { engine, clock } = setUp();
    const id = await ask(engine, "put", { path: "old.txt", text: "two\n" });
    await expect(look(engine, id, agent)).rejects.toMatchObject({ code: "approval_not_allowed" });
    await expect(look(engine, id, { ...person, tenant: "other" })).rejects.toMatchObject({ code: "approval_not_found" });
    await engine.operate(person, "approvals.answer", { id, outcome: { kind: "deny" } });
    expect(await look(engine, id)).toEqual([]);
    const late = await ask(engine, "put", { path: "old.txt", text: "three\n" });
    await clock.advance(48 * 3_600_000);
    expect(await look(engine, late)).toEqual([]);
  });

  it("says nothing of a tool that is another one by now", async () => {
    const { engine, clock } = setUp();
    const stored = await engine.scope(person).approval(await ask(engine, "put", { path: "old.txt", text: "two\n" }));
    const approvals = { ...createMemoryApprovalStore(), get: async () => stored };
    const again = (tool: AnyTool) => createEngine({ tools: [tool], capabilities: [files], approvals, clock });
    expect(await look(again(put), stored?.record.id ?? "")).toHaveLength(1);
    expect(await look(again({ ...put, description: "Another. Use get." }), stored?.record.id ?? "")).toEqual([]);
  });

  it("an answer keeps where it was given", async () => {
    const { engine } = setUp();
    const id = await ask(engine, "put", { path: "old.txt", text: "two\n" });
    expect(await engine.operate(person, "approvals.answer", { id, outcome: { kind: "deny" } })).toMatchObject({ answer: { door: "form" } });
  });
});
