import assert from "node:assert/strict";
import { z } from "zod";
import type { CallStatus } from "../contract/call.ts";
import type { Json, JsonObject } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { Engine } from "../engine-types.ts";
import { defaultPolicy } from "../policy/document/policy-document.ts";
import { defineTool } from "../tool/define-tool.ts";
import { fail } from "../tool/result.ts";
import type { ConformanceCase } from "./conformance-case.ts";

/** What a client saw through a door. */
export interface DoorAnswer {
  /** Undefined where the door's wire cannot tell apart more than well and not well. */
  readonly status?: CallStatus;
  readonly ok: boolean;
  readonly output?: Json;
  /** Everything that the client was told, as text. */
  readonly text: string;
}

/** A client on the other side of a door. */
export interface DoorClient {
  list(): Promise<readonly { readonly name: string; readonly inputSchema: JsonObject }[]>;
  call(name: string, input: JsonObject): Promise<DoorAnswer>;
  close(): Promise<void>;
}

/** Opens a door on an engine; every call is made as `principal` in `session`. */
export type OpenDoor = (engine: Engine, principal: Principal, session: string) => Promise<DoorClient>;

const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "mcp" };
const session = "conformance";
const empty = z.object({});
const text = z.object({ text: z.string() });

const tools = [
  defineTool({
    name: "add",
    description: "Adds two whole numbers.",
    input: z.object({ a: z.int().describe("First"), b: z.int().describe("Second") }),
    output: z.object({ sum: z.int() }),
    run: ({ a, b }) => ({ sum: a + b }),
  }),
  defineTool({
    name: "refuse",
    description: "Always fails in a foreseen way.",
    input: empty,
    output: text,
    run: () => fail("no_luck", "Try again on Monday."),
  }),
  defineTool({
    name: "crash",
    description: "Always throws an error.",
    input: empty,
    output: text,
    run: () => {
      throw new Error("at /home/ann/secret.ts");
    },
  }),
  defineTool({
    name: "hidden",
    description: "Needs a permission nobody has.",
    input: empty,
    output: text,
    permission: "nobody:has",
    run: () => ({ text: "seen" }),
  }),
  defineTool({ name: "forbidden", description: "Is denied by the policy.", input: empty, output: text, run: () => ({ text: "ran" }) }),
  defineTool({
    name: "ask_first",
    description: "Asks a person each time.",
    input: empty,
    output: text,
    approval: "always_ask",
    run: () => ({ text: "ran" }),
  }),
  defineTool({
    name: "large",
    description: "Returns more than a result may hold.",
    input: empty,
    output: text,
    run: () => ({ text: "x".repeat(1_000_000) }),
  }),
];

/** What every door must do: the same list, the same answers and the same refusals as the gate. */
export function doorConformance(open: OpenDoor): readonly ConformanceCase[] {
  const withDoor = (name: string, check: (client: DoorClient, engine: Engine) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      const engine = createEngine({
        tools,
        policy: [{ tier: "platform", document: { ...defaultPolicy, tools: { deny: ["forbidden"] } } }],
      });
      const client = await open(engine, principal, session);
      try {
        await check(client, engine);
      } finally {
        await client.close();
        await engine.close();
      }
    },
  });
  return [
    withDoor("lists what the scope lists, in its order, with its schemas", async (client, engine) => {
      const expected = engine.scope(principal, { session }).list();
      const listed = await client.list();
      assert.deepEqual(
        listed.map(({ name }) => name),
        expected.map(({ name }) => name),
      );
      assert.deepEqual(
        listed.map(({ inputSchema }) => inputSchema),
        expected.map(({ inputSchema }) => inputSchema),
      );
      assert.deepEqual(
        listed.map(({ name }) => name),
        ["add", "ask_first", "crash", "large", "refuse"],
      );
    }),
    withDoor("gives a tool's output", async (client) => {
      const answer = await client.call("add", { a: 2, b: 3 });
      assert.equal(answer.ok, true);
      assert.deepEqual(answer.output, { sum: 5 });
    }),
    withDoor("applies and tells a repair", async (client) => {
      const answer = await client.call("add", { a: "2", b: 3 });
      assert.equal((answer.output as { sum?: number } | undefined)?.sum, 5);
      assert.match(answer.text, /repaired/i);
      // A client may drop all but the structured output.
      assert.match(JSON.stringify(answer.output), /repaired/i);
    }),
    withDoor("answers alike for a hidden and for an unknown tool", async (client) => {
      const hidden = await client.call("hidden", {});
      const unknown = await client.call("zzzzzz", {});
      assert.equal(hidden.ok, false);
      assert.equal(hidden.text.replaceAll("hidden", "X"), unknown.text.replaceAll("zzzzzz", "X"));
    }),
    withDoor("refuses input that does not fit, naming the member", async (client) => {
      const answer = await client.call("add", { a: "two", b: 3 });
      assert.equal(answer.ok, false);
      assert.match(answer.text, /\ba\b/);
    }),
    withDoor("tells a foreseen failure in the tool's words", async (client) => {
      const answer = await client.call("refuse", {});
      assert.equal(answer.ok, false);
      assert.match(answer.text, /Try again on Monday/);
    }),
    withDoor("tells a thrown error without host paths or a stack", async (client) => {
      const answer = await client.call("crash", {});
      assert.equal(answer.ok, false);
      assert.doesNotMatch(answer.text, /\/home\/ann|\n\s+at /);
    }),
    withDoor("does not run what the policy denies, and says why", async (client) => {
      const answer = await client.call("forbidden", {});
      assert.equal(answer.ok, false);
      assert.match(answer.text, /tools\.deny|denied/i);
    }),
    withDoor("does not run what a person must be asked about", async (client, engine) => {
      const answer = await client.call("ask_first", {});
      assert.notEqual((answer.output as { text?: string } | undefined)?.text, "ran");
      assert.equal((await engine.scope(principal, { session }).approvals()).length, 1);
    }),
    withDoor("says that and where a large output was cut", async (client) => {
      const answer = await client.call("large", {});
      assert.equal(answer.ok, true);
      assert.ok(answer.text.length < 400_000);
      assert.match(answer.text, /art_/);
    }),
  ];
}
