import type { Client, ElicitResult } from "@modelcontextprotocol/client";
import { defineTool } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { add, ann, bob, connect, countingTool, eras, greet, modernRequest, openDoor, textOf } from "../../../test/mcp-client.ts";

const tokens = { open: false, authenticate: (token: string | undefined) => (token === "bob" ? bob : ann) };
/** Asks a person, who may have the answer remembered. */
const note = defineTool({
  name: "note",
  description: "Notes something where others read it.",
  input: z.object({ text: z.string().describe("Text") }),
  output: z.object({ text: z.string().describe("What was noted") }),
  effects: { destructive: true },
  run: ({ text }) => ({ text: `Noted ${text}.` }),
});

let paying: ReturnType<typeof countingTool>;
let opened: ReturnType<typeof openDoor>;
let clients: Client[];

beforeEach(() => {
  paying = countingTool();
  opened = openDoor({ engine: { tools: [paying.tool, add, greet, note] }, door: { authentication: tokens } });
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.close();
  await opened.door.close();
  await opened.engine.close();
});

const person = { ...ann, interactive: true };
const openApprovals = () => opened.engine.scope(person, { session: "other" }).approvals();
const pay = { name: "pay", arguments: { to: "Carol" } };

describe.each(eras)("a $era client that can ask its person", ({ mode }) => {
  const asked: string[] = [];
  async function clientThatAnswers(answer: () => ElicitResult | Promise<ElicitResult>) {
    asked.length = 0;
    const client = await connect(opened.door, {
      mode,
      client: { capabilities: { elicitation: { form: {} } } },
      prepare: (made) =>
        made.setRequestHandler("elicitation/create", async ({ params }) => {
          asked.push(params.message);
          return answer();
        }),
    });
    clients.push(client);
    return client;
  }

  it("runs the tool once when the person approves", async () => {
    const client = await clientThatAnswers(() => ({ action: "accept", content: { decision: "approve" } }));
    const result = await client.callTool(pay);
    expect(result.structuredContent).toEqual({ text: "Paid Carol." });
    expect(paying.runs).toEqual(["Carol"]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/^Pay with .*Carol.*\?.*\nTool: pay\n/s);
  });

  it("asks again for the next call: an approval is used once", async () => {
    const client = await clientThatAnswers(() => ({ action: "accept", content: { decision: "approve" } }));
    await client.callTool(pay);
    await client.callTool(pay);
    expect(asked).toHaveLength(2);
    expect(paying.runs).toHaveLength(2);
  });

  it("tells the model the person's words when the person denies", async () => {
    const client = await clientThatAnswers(() => ({ action: "accept", content: { decision: "deny", message: "Ask Dan first." } }));
    const result = await client.callTool(pay);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("Ask Dan first.");
    expect(paying.runs).toEqual([]);
  });

  it("takes a declined form for no answer, and says who did not answer and how a person does (R-AP-10)", async () => {
    const client = await clientThatAnswers(() => ({ action: "decline" }));
    const [pending, words] = [await client.callTool(pay), "client test-client 1.0.0 declined the form"];
    expect(textOf(pending)).toMatch(new RegExp(`^Not run yet.*Carol.*approvals approve apr_.*No person answered: ${words}`, "s"));
    expect(await openApprovals()).toHaveLength(1);
  });

  it("is told how a person answers when its own handler fails, with the answer or with the next request (R-AP-10)", async () => {
    const client = await clientThatAnswers(() => {
      throw new Error("Nobody is here.");
    });
    const first = await client.callTool(pay).catch((error: Error) => error);
    const told = first instanceof Error ? await client.callTool(pay) : first;
    expect(textOf(told)).toMatch(/^Not run yet.*approvals approve apr_.*No person answered: client test-client 1\.0\.0/s);
    expect(asked).toHaveLength(1);
    expect(await openApprovals()).toHaveLength(1);
  });

  it("leaves the approval open when the form is closed, and takes it up with the same call", async () => {
    const answers: ElicitResult[] = [{ action: "cancel" }, { action: "accept", content: { decision: "approve" } }];
    const client = await clientThatAnswers(() => answers.shift() ?? { action: "cancel" });
    expect(textOf(await client.callTool(pay))).toMatch(/^Not run yet/);
    expect(await openApprovals()).toHaveLength(1);
    expect((await client.callTool(pay)).structuredContent).toEqual({ text: "Paid Carol." });
    expect(paying.runs).toEqual(["Carol"]);
  });

  it("believes nothing but the form's words, and asks once for one call", async () => {
    const client = await clientThatAnswers(() => ({ action: "accept", content: { decision: "yes" } }));
    expect(textOf(await client.callTool(pay))).toMatch(/^Not run yet/);
    expect(asked).toHaveLength(1);
    expect(paying.runs).toEqual([]);
  });

  it("offers to remember a yes, and saves what it showed when the person chooses so", async () => {
    const client = await clientThatAnswers(() => ({ action: "accept", content: { decision: "approve", remember: "session" } }));
    const note = { name: "note", arguments: { text: "Hello" } };
    expect((await client.callTool(note)).structuredContent).toEqual({ text: "Noted Hello." });
    expect(asked[0]).toMatch(/To be remembered for note:.*matches +the very same input.*but not +any other input/s);
    expect((await client.callTool(note)).structuredContent).toEqual({ text: "Noted Hello." });
    expect(asked).toHaveLength(1);
    await client.callTool({ name: "note", arguments: { text: "Bye" } });
    expect(asked).toHaveLength(2);
  });

  it("remembers nothing that it did not offer: the call does not run (R-AP-9)", async () => {
    const client = await clientThatAnswers(() => ({ action: "accept", content: { decision: "approve", remember: "session" } }));
    const result = await client.callTool(pay);
    expect(asked[0]).toMatch(/cannot be remembered: the tool pay asks before each call/);
    expect(textOf(result)).toMatch(/grant_refused/);
    expect(paying.runs).toEqual([]);
    expect(await opened.engine.scope(person, { session: "other" }).grants()).toEqual([]);
  });

  it("lets another door's answer stand when it came first", async () => {
    const client = await clientThatAnswers(async () => {
      const [open] = await openApprovals();
      await opened.engine.scope(person, { session: "cli" }).answer(open?.record.id ?? "", { kind: "deny", message: "Not today." });
      return { action: "accept", content: { decision: "approve" } };
    });
    expect(textOf(await client.callTool(pay))).toContain("Not today.");
    expect(paying.runs).toEqual([]);
  });
});

describe.each(eras)("a $era client that cannot ask", ({ mode }) => {
  it("is told who can answer, and the same call runs once after that", async () => {
    const client = await connect(opened.door, { mode });
    clients.push(client);
    const pending = await client.callTool(pay);
    expect(pending.isError).toBe(true);
    const [open] = await openApprovals();
    expect(textOf(pending)).toContain(`toolwright approvals approve ${open?.record.id}`);

    await client.callTool(pay);
    expect(await openApprovals()).toHaveLength(1);

    await opened.engine.scope(person, { session: "cli" }).answer(open?.record.id ?? "", { kind: "approve" });
    expect((await client.callTool(pay)).structuredContent).toEqual({ text: "Paid Carol." });
    expect(paying.runs).toEqual(["Carol"]);
    expect(textOf(await client.callTool(pay))).toMatch(/^Not run yet/);
  });
});

describe("an agent's token", () => {
  it("cannot approve, whatever its client claims (R-AP-6)", async () => {
    await opened.door.close();
    const agent = { ...ann, actor: { kind: "agent" as const, id: "robot" } };
    opened = openDoor({ engine: { tools: [paying.tool] }, door: { authentication: { open: true, authenticate: () => agent } } });
    const result = await answerOf(modernRequest("tools/call", pay));
    expect(result.result?.isError).toBe(true);
    expect(result.result?.inputRequests).toBeUndefined();
  });
});

it("a client is not asked for approvals where the operator wants them answered elsewhere", async () => {
  await opened.door.close();
  opened = openDoor({ engine: { tools: [paying.tool] }, door: { approveInClient: false } });
  const { result } = await answerOf(modernRequest("tools/call", pay));
  expect(result?.inputRequests).toBeUndefined();
  expect(textOf(result ?? {})).toMatch(/^Not run yet/);
});

interface Reply {
  readonly error?: { readonly code: number };
  readonly result?: {
    readonly isError?: boolean;
    readonly requestState?: string;
    readonly inputRequests?: unknown;
    readonly structuredContent?: unknown;
    readonly content?: { type: string; text?: string }[];
  };
}

async function answerOf(request: Request): Promise<Reply> {
  return (await (await opened.door.fetch(request)).json()) as Reply;
}

/** R-MC-11: what a client carries is worth nothing to another user, for another call, too late, altered, or twice. */
describe.each([
  { kind: "approval", call: pay, answers: { approval: { action: "accept", content: { decision: "approve" } } } },
  { kind: "question", call: { name: "greet", arguments: {} }, answers: { name: { action: "accept", content: { name: "Ann" } } } },
])("the state of an open $kind (R-MC-11)", ({ call, answers }) => {
  const first = async () => (await answerOf(modernRequest("tools/call", call))).result?.requestState ?? "";
  const retry = (requestState: string, changes: { params?: object; headers?: Record<string, string> } = {}) =>
    answerOf(
      modernRequest(
        "tools/call",
        { ...call, inputResponses: answers, requestState, ...changes.params },
        { headers: changes.headers ?? {} },
      ),
    );

  it("lets the call go on when it comes back as it was", async () => {
    expect((await retry(await first())).result?.structuredContent).toBeDefined();
  });

  const rows: { name: string; change: (state: string) => string; more?: Parameters<typeof retry>[1] }[] = [
    { name: "another user", change: (state) => state, more: { headers: { authorization: "Bearer bob" } } },
    { name: "other arguments", change: (state) => state, more: { params: { arguments: { to: "Mallory" } } } },
    { name: "another tool", change: (state) => state, more: { params: { name: "add" }, headers: { "mcp-name": "add" } } },
    { name: "a flipped signature", change: (state) => state.slice(0, -2) + (state.at(-2) === "A" ? "B" : "A") + state.slice(-1) },
    { name: "other content", change: (state) => state.replace(/\.(.)/, (_, first: string) => `.${first === "e" ? "f" : "e"}`) },
    { name: "no content", change: () => "" },
  ];
  it.each(rows)("is refused with $name", async ({ change, more }) => {
    const reply = await retry(change(await first()), more);
    expect(reply.error?.code).toBe(-32602);
    expect(paying.runs).toEqual([]);
  });

  it("is refused when it is too late", async () => {
    const state = await first();
    await opened.clock.advance(11 * 60_000);
    expect((await retry(state)).error?.code).toBe(-32602);
    expect(paying.runs).toEqual([]);
  });

  it("runs nothing a second time when it is replayed, also at the same moment", async () => {
    const state = await first();
    const replies = await Promise.all(Array.from({ length: 10 }, () => retry(state)));
    expect(replies.filter(({ result }) => result?.structuredContent !== undefined)).toHaveLength(1);
    expect((await retry(state)).result?.structuredContent).toBeUndefined();
    expect(paying.runs.length).toBeLessThanOrEqual(1);
  });
});
