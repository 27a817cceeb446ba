import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEngine, defaultPolicy, defineTool, type Principal } from "@toolwright/engine";
import { z } from "zod";
import type { Row } from "./measure.ts";

const calls = 1_000;
const mostMb = 5;
const input = z.object({ id: z.string() });
const output = z.object({ paid: z.string() });
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const principal: Principal = { tenant: "bench", actor: { kind: "agent", id: "bench" }, permissions: [], door: "ai-sdk" };

const pay = defineTool({
  name: "pay",
  description: "Pays a bill.",
  input,
  output,
  effects: { destructive: true },
  approval: "always_ask",
  run: ({ id }) => ({ paid: id }),
});
const settle = defineTool({
  name: "settle",
  description: "Pays a bill by another tool.",
  input,
  output,
  effects: { tools: ["pay"] },
  async run({ id }, { tools }) {
    await tools.call("pay", { id });
    return { paid: id };
  },
});

/** What calls that wait for a person hold of memory and timers, in the memory adapters, beside a promise and a timer for each. */
export async function measure(): Promise<readonly Row[]> {
  const engine = createEngine({ tools: [pay, settle], policy: [{ tier: "platform", document: defaultPolicy }] });
  const scope = engine.scope(principal, { session: "bench" });
  const suspend = async (count: number, prefix: string) => {
    for (let index = 0; index < count; index += 1) {
      const { status } = await scope.invokeNamed("settle", { id: `bill_${prefix}_${index}` });
      if (status !== "pending") throw new Error(`The benchmark's own call ended as ${status}.`);
    }
  };
  await suspend(50, "warm");
  const timersBefore = timers();
  const ours = await heapOf(() => suspend(calls, "waits"));
  const newTimers = timers() - timersBefore;
  const held: NodeJS.Timeout[] = [];
  const peer = await heapOf(async () => {
    for (let index = 0; index < calls; index += 1) held.push(setTimeout(() => {}, 86_400_000));
  });
  for (const timer of held) clearTimeout(timer);
  await engine.close();
  const common = { peerName: "a timer each", unit: "MB" };
  return [
    {
      ...{ name: `${calls} suspended calls`, ours, peer, ratio: ours / peer, ...common },
      ...{ target: `at most ${mostMb} MB`, holds: ours <= mostMb },
    },
    {
      ...{ name: `timers of ${calls} suspended calls`, ours: newTimers, peer: calls, ratio: newTimers / calls, ...common, unit: "timers" },
      ...{ target: "none", holds: newTimers === 0 },
    },
  ];
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
}

/** Megabytes of heap that are still held afterwards. */
async function heapOf(work: () => Promise<void>): Promise<number> {
  const before = collected();
  await work();
  return (collected() - before) / 1e6;
}

function collected(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
