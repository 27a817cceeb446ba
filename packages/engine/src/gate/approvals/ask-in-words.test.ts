import { expect, it, test } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import type { Logger } from "../../ports/logger.ts";
import { type AnyTool, defineTool } from "../../tool/define-tool.ts";
import type { Question } from "../../tool/question.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const person: Principal = { ...agent, actor: { kind: "user", id: "ann" }, permissions: [ANSWER_APPROVALS], interactive: true };

const pay = {
  name: "pay",
  title: "Pay",
  description: "Pays an amount of money to somebody.",
  input: z.object({ to: z.string(), euros: z.number().default(5) }),
  output: z.object({}),
  approval: "always_ask",
  run: () => ({}),
} as const;

async function ask(tool: AnyTool, input: object, log: Logger["log"] = () => {}) {
  const engine = createEngine({ tools: [tool], logger: { log }, capabilities: [{ name: "http", open: () => ({}) as never }] });
  const result = await engine.scope(agent, { session: "s" }).invokeNamed(tool.name, input);
  if (result.status !== "pending") throw new Error(JSON.stringify(result));
  const [waiting] = await engine.scope(person, { session: "s" }).approvals();
  expect(waiting?.record.summary).toBe(result.approval.summary);
  return result.approval.summary;
}

it.each([
  [
    "in its own words, with defaults",
    defineTool({ ...pay, ask: ({ to, euros }, say) => say`Pay ${euros} to ${to}?` }),
    "Pay 5 to “Ann B.”?",
  ],
  ["by title and effects", defineTool(pay), 'Pay with “{"to":"Ann B.","euros":5}”? As declared, it changes nothing.'],
  [
    "of a tool that changes",
    defineTool({ ...pay, effects: { http: "write" } }),
    'Pay with “{"to":"Ann B.","euros":5}”? As declared, it may change data and reaches other machines.',
  ],
  [
    "of one that destroys",
    defineTool({ ...pay, effects: { destructive: true } }),
    'Pay with “{"to":"Ann B.","euros":5}”? As declared, it may remove data.',
  ],
  [
    "of one that only looks elsewhere",
    defineTool({ ...pay, effects: { http: "read" } }),
    'Pay with “{"to":"Ann B.","euros":5}”? As declared, it changes nothing and reaches other machines.',
  ],
  [
    "by title, where its words are none",
    defineTool({ ...pay, ask: () => "" as Question }),
    'Pay with “{"to":"Ann B.","euros":5}”? As declared, it changes nothing.',
  ],
  ["without what a screen would hide", defineTool({ ...pay, ask: ({ to }) => `Pay ${to}\n\u200b?` as Question }), "Pay Ann B.⏎<U+200B>?"],
])("a person is asked %s", async (_, tool, question) => {
  expect(await ask(tool as AnyTool, { to: "Ann B." })).toBe(question);
});

test("a tool whose words fail asks by its title, and the operator's log tells", async () => {
  const told: string[] = [];
  const broken = defineTool({ ...pay, ask: () => (undefined as never as string).at(0) as Question });
  expect(await ask(broken as AnyTool, { to: "x" }, (_, message) => told.push(message))).toBe(
    'Pay with “{"to":"x","euros":5}”? As declared, it changes nothing.',
  );
  expect(told).toEqual(["A tool could not say what it asks."]);
});

test("other words are no other tool: what was approved stays so", async () => {
  const before = createEngine({ tools: [defineTool({ ...pay })] });
  const after = createEngine({ tools: [defineTool({ ...pay, ask: (_, say) => say`Pay?` })] });
  const [one, other] = [before, after].map((engine) => engine.scope(person, { session: "s" }).find("pay"));
  expect(other?.hash).toBe(one?.hash);
});
