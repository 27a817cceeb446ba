import { defineTool } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ann, bob, countingTool, modernRequest, openDoor } from "../../../test/mcp-client.ts";
import { createMcpDoor, type McpDoor } from "../index.ts";

const carl = { ...ann, tenant: "other" };
const authentication = {
  open: false,
  authenticate: (token: string | undefined) => (token === "bob" ? bob : token === "carl" ? carl : ann),
};
const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const forms = { ...tasks, elicitation: { form: {} } };
const taskAfterMs = 500;

interface Asked {
  readonly as?: string;
  readonly can?: object;
  readonly at?: McpDoor;
}

let paying: ReturnType<typeof countingTool>;
let opened: ReturnType<typeof openDoor>;
let end: (text: string) => void;
let aborted: boolean;

/** Runs until it is told what to say, or to stop. */
const slow = defineTool({
  name: "slow",
  description: "Takes its time.",
  input: z.object({ count: z.int() }),
  output: z.object({ text: z.string() }),
  run: (_, { signal }) =>
    new Promise((resolve, reject) => {
      end = (text) => resolve({ text });
      signal.addEventListener("abort", () => {
        aborted = true;
        reject(signal.reason);
      });
    }),
});

beforeEach(() => {
  aborted = false;
  paying = countingTool();
  opened = openDoor({ engine: { tools: [slow, paying.tool] }, door: { authentication, taskAfterMs } });
});
afterEach(async () => {
  await opened.door.close();
  await opened.engine.close();
});

async function ask(method: string, params: Record<string, unknown>, { as = "ann", can = tasks, at = opened.door }: Asked = {}) {
  const headers = { authorization: `Bearer ${as}`, ...(typeof params.taskId === "string" && { "mcp-name": params.taskId }) };
  const meta = { "io.modelcontextprotocol/clientCapabilities": can };
  const response = await at.fetch(modernRequest(method, params, { headers, meta }));
  const text = await response.text();
  const last = text.startsWith("{") ? text : (text.split("data: ").at(-1) ?? "");
  return JSON.parse(last) as {
    readonly result?: Record<string, unknown>;
    readonly error?: { readonly code: number; readonly message: string };
  };
}

const call = (params: object = { name: "slow", arguments: { count: 1 } }, asked?: Asked) => ask("tools/call", { ...params }, asked);
const get = (taskId: unknown, asked?: Asked) => ask("tasks/get", { taskId }, asked);

/** The answer to a call that takes longer than a client waits for. */
async function callLate(asked?: Asked) {
  const answer = call(undefined, asked);
  await opened.clock.advance(taskAfterMs);
  return answer;
}

async function makeTask(): Promise<string> {
  const { result } = await callLate();
  return String(result?.taskId);
}

describe("a call that takes long", () => {
  it("is a task for a client that has the extension, and its result is the one that the call would have had", async () => {
    const { result } = await callLate();
    expect(result).toMatchObject({ resultType: "task", taskId: expect.stringMatching(/^task_/), status: "working" });
    expect((await get(result?.taskId)).result).toMatchObject({ status: "working", pollIntervalMs: expect.any(Number) });
    end("Done.");
    await opened.clock.advance(0);
    const directly = callLate({ can: {} });
    await opened.clock.advance(0);
    end("Done.");
    const { _meta: _, ...answer } = (await directly).result as Record<string, unknown>;
    const { result: kept } = await get(result?.taskId);
    expect(kept).toMatchObject({ status: "completed", result: { ...answer, resultType: "complete" } });
    expect(answer.structuredContent).toEqual({ text: "Done." });
  });

  it("is answered when it ends for a client without the extension, which may not ask about tasks", async () => {
    const answer = callLate({ can: {} });
    await opened.clock.advance(60_000);
    end("Late.");
    expect((await answer).result).toMatchObject({ structuredContent: { text: "Late." } });
    const id = await makeTask();
    expect((await get(id, { can: {} })).error?.message).toMatch(/capabilit/i);
  });

  it.each(["bob", "carl"])("is nobody else's task: %s hears of it what is said of one that there is not", async (as) => {
    const id = await makeTask();
    const words = (error: { readonly code: number; readonly message: string } | undefined, of: string) => ({
      ...error,
      message: error?.message.replace(of, "ID"),
    });
    const none = await get("task_none", { as });
    expect(none.error).toBeDefined();
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const params = { taskId: id, ...(method === "tasks/update" && { inputResponses: {} }) };
      const { error } = await ask(method, params, { as });
      expect(words(error, id)).toEqual(words(none.error, "task_none"));
    }
    expect(aborted).toBe(false);
    expect((await get(id)).result).toMatchObject({ status: "working" });
  });

  it("that is cancelled stops, and stays cancelled", async () => {
    const id = await makeTask();
    expect((await ask("tasks/cancel", { taskId: id })).error).toBeUndefined();
    await opened.clock.advance(0);
    expect(aborted).toBe(true);
    end("Too late.");
    await opened.clock.advance(0);
    expect((await get(id)).result).toMatchObject({ status: "cancelled" });
  });

  it("is found by a door that was opened later on the same store", async () => {
    const id = await makeTask();
    end("Kept.");
    await opened.clock.advance(0);
    const at = createMcpDoor({ engine: opened.engine, clock: opened.clock, serverInfo: { name: "later", version: "1" }, authentication });
    expect((await get(id, { at })).result).toMatchObject({ status: "completed", result: { structuredContent: { text: "Kept." } } });
    await at.close();
  });
});

describe("a call that waits for a person", () => {
  const pay = { name: "pay", arguments: { to: "Carol" } };

  it("is a task, which goes on when the person answers at another door", async () => {
    const { result } = await call(pay);
    expect(result).toMatchObject({ resultType: "task", status: "working" });
    const person = opened.engine.scope({ ...ann, interactive: true }, { session: "other" });
    const [waiting] = await person.approvals();
    await person.answer(waiting!.record.id, { kind: "approve" });
    await get(result?.taskId);
    await opened.clock.advance(0);
    expect((await get(result?.taskId)).result).toMatchObject({
      status: "completed",
      result: { structuredContent: { text: "Paid Carol." } },
    });
    expect(paying.runs).toEqual(["Carol"]);
  });

  it("asks its person in a client that has forms", async () => {
    const { result } = await call(pay, { can: forms });
    expect((await get(result?.taskId, { can: forms })).result).toMatchObject({ status: "input_required" });
    expect(paying.runs).toEqual([]);
  });

  it("that is cancelled never runs", async () => {
    const { result } = await call(pay);
    await ask("tasks/cancel", { taskId: result?.taskId });
    expect((await get(result?.taskId)).result).toMatchObject({ status: "cancelled" });
    const person = opened.engine.scope({ ...ann, interactive: true }, { session: "other" });
    expect(await person.approvals()).toEqual([]);
    expect(paying.runs).toEqual([]);
  });
});
