import { createEngine, defaultPolicy, defineTool, type Principal } from "@toolwright/engine";
import { z } from "zod";
import { median, type Row, timeRounds } from "./measure.ts";

const input = z.object({ a: z.number(), b: z.number() });
const output = z.object({ sum: z.number() });
const principal: Principal = { tenant: "bench", actor: { kind: "agent", id: "bench" }, permissions: [], door: "ai-sdk" };
const many = 50;
const mostTimes = 1.3;

const add = defineTool({ name: "add", description: "Adds two numbers.", input, output, run: ({ a, b }) => ({ sum: a + b }) });

function adding(name: string, times: number) {
  return defineTool({
    name,
    description: "Adds two numbers by another tool.",
    input,
    output: z.object({ done: z.number() }),
    effects: { tools: ["add"] },
    async run({ a, b }, { tools }) {
      let done = 0;
      for (let index = 0; index < times; index += 1) if ((await tools.call("add", { a, b })).status === "done") done += 1;
      return { done };
    },
  });
}

/** What one more call inside a call costs, beside the same call by itself. */
export async function measure(): Promise<readonly Row[]> {
  const policy = [{ tier: "platform" as const, document: defaultPolicy }];
  const engine = createEngine({ tools: [add, adding("add_once", 1), adding("add_often", many)], policy });
  const scope = engine.scope(principal, { session: "bench" });
  const checked = await scope.invokeNamed("add_often", { a: 1, b: 2 });
  if (checked.status !== "done" || (checked.output as { done: number }).done !== many)
    throw new Error(`The benchmark's own call ended as ${JSON.stringify(checked)}`);
  const times = await timeRounds({
    alone: async () => {
      for (let index = 0; index < many; index += 1) await scope.invokeNamed("add", { a: 1, b: 2 });
    },
    once: () => scope.invokeNamed("add_once", { a: 1, b: 2 }),
    often: () => scope.invokeNamed("add_often", { a: 1, b: 2 }),
  });
  const nested = times.often.map((often, round) => (often - (times.once[round] ?? Number.NaN)) / (many - 1));
  const alone = times.alone.map((all) => all / many);
  const ratio = median(nested.map((one, round) => one / (alone[round] ?? Number.NaN)));
  await engine.close();
  return [
    {
      ...{ name: "a call inside a call", ours: median(nested) / 1000, peer: median(alone) / 1000, peerName: "the same alone" },
      ...{ ratio, unit: "µs p50", target: `at most ${mostTimes} times`, holds: ratio <= mostTimes },
    },
  ];
}
