import { tool as langChainTool } from "@langchain/core/tools";
import { createTool } from "@mastra/core/tools";
import { createEngine, defaultPolicy, defineTool, type Principal } from "@toolwright/engine";
import { z } from "zod";
import { median, medianRatio, type Row, timeRounds } from "./measure.ts";

const input = z.object({ a: z.number(), b: z.number() });
const output = z.object({ sum: z.number() });
const principal: Principal = { tenant: "bench", actor: { kind: "agent", id: "bench" }, permissions: [], door: "ai-sdk" };

function fiftyRules() {
  const ask = Array.from({ length: 25 }, (_, index) => `asked_${index}`);
  const deny = Array.from({ length: 25 }, (_, index) => `denied_${index}`);
  return [{ tier: "platform" as const, document: { ...defaultPolicy, tools: { ask, deny } } }];
}

/** A trivial `add`: validated in and out, under 50 policy rules, its events recorded; beside the same tool of Mastra and LangChain and a bare function. */
export async function measure(): Promise<readonly Row[]> {
  const add = defineTool({ name: "add", description: "Adds two numbers.", input, output, run: ({ a, b }) => ({ sum: a + b }) });
  const scope = createEngine({ tools: [add], policy: fiftyRules() }).scope(principal, { session: "bench" });
  const mastra = createTool({
    id: "add",
    description: "Adds two numbers.",
    inputSchema: input,
    outputSchema: output,
    execute: async ({ a, b }) => ({ sum: a + b }),
  });
  const langChain = langChainTool(async ({ a, b }: { a: number; b: number }) => ({ sum: a + b }), {
    name: "add",
    description: "Adds two numbers.",
    schema: input,
  });
  const bare = async ({ a, b }: { a: number; b: number }) => ({ sum: a + b });
  const result = await scope.invoke("add", { a: 1, b: 2 });
  if (result.status !== "done") throw new Error(`The benchmark's own call ended as ${JSON.stringify(result)}`);

  const times = await timeRounds({
    ours: () => scope.invoke("add", { a: 1, b: 2 }),
    mastra: () => mastra.execute?.({ a: 1, b: 2 }, {} as never),
    langChain: () => langChain.invoke({ a: 1, b: 2 }),
    bare: () => bare({ a: 1, b: 2 }),
  });
  const ours = median(times.ours) / 1000;
  const row = (peerName: "mastra" | "langChain" | "bare", target: string, holds: (ratio: number) => boolean): Row => {
    const ratio = medianRatio(times.ours, times[peerName]);
    return {
      name: `invoke beside ${peerName}`,
      ours,
      peer: median(times[peerName]) / 1000,
      peerName,
      ratio,
      unit: "µs p50",
      target,
      holds: holds(ratio),
    };
  };
  return [
    row("langChain", "at least 5 times faster", (ratio) => ratio <= 0.2),
    row("mastra", "at most 10 µs", () => ours <= 10),
    row("bare", "none: what the gate costs", () => true),
  ];
}
