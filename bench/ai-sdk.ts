import { toAISDK } from "@toolwright/doors/ai-sdk";
import { createEngine, defineTool } from "@toolwright/engine";
import { generateText, isStepCount, type LanguageModel, tool } from "ai";
import { z } from "zod";
import { median, medianRatio, type Row, timeRounds } from "./measure.ts";

const count = 100;
const steps = 10;
const mostMs = 0.8;
const input = z.object({
  path: z.string().describe("Path relative to the workspace"),
  lines: z.int().min(1).max(10_000).nullish().describe("How many"),
  mode: z.enum(["text", "binary"]).nullish(),
  where: z.object({ from: z.string(), to: z.string() }).nullish(),
});
const names = Array.from({ length: count }, (_, index) => `tool_${index}`);
const descriptionOf = (name: string) => `Does the work of ${name}. Use it when nothing else does.`;

/** A model of no time at all, which calls one tool in each step but the last. */
function instantModel(): LanguageModel {
  let step = 0;
  const usage = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } };
  const model = {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "instant",
    supportedUrls: {},
    async doGenerate() {
      step = (step + 1) % steps;
      const isLast = step === 0;
      const call = { type: "tool-call", toolCallId: `call_${step}`, toolName: "tool_7", input: '{"path":"a.txt"}' };
      return {
        content: [isLast ? { type: "text", text: "Done." } : call],
        finishReason: { unified: isLast ? "stop" : "tool-calls", raw: undefined },
        usage,
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error("Nobody streams here.")),
  };
  return model as unknown as LanguageModel;
}

/** A step of `generateText` with 100 tools of ours, of which the model calls one, beside the same tools as raw Zod schemas. */
export async function measure(): Promise<readonly Row[]> {
  const engine = createEngine({
    tools: names.map((name) =>
      defineTool({ name, description: descriptionOf(name), input, output: z.object({ text: z.string() }), run: () => ({ text: "" }) }),
    ),
  });
  const scope = engine.scope({ tenant: "bench", actor: { kind: "agent", id: "helper" } }, { session: "bench" });
  const { why: _, ...ours } = toAISDK(scope, { budget: Number.POSITIVE_INFINITY });
  const raw = Object.fromEntries(
    names.map((name) => [name, tool({ description: descriptionOf(name), inputSchema: input, execute: () => ({ text: "" }) })]),
  );
  const run = async (settings: object) => {
    const result = await generateText({ model: instantModel(), prompt: "Go.", stopWhen: isStepCount(steps), ...settings });
    if (result.steps.length !== steps || result.text !== "Done.") throw new Error("The loop did not take its steps.");
  };
  const times = await timeRounds({ ours: () => run(ours), raw: () => run({ tools: raw }) });
  const perStep = (values: readonly number[]) => median(values) / steps / 1e6;
  const msOfOurs = perStep(times.ours);
  return [
    {
      name: "generateText, 100 tools, a step",
      ours: msOfOurs,
      peer: perStep(times.raw),
      peerName: "raw Zod",
      ratio: medianRatio(times.ours, times.raw),
      unit: "ms p50",
      target: `at most ${mostMs} ms`,
      holds: msOfOurs <= mostMs,
    },
  ];
}
