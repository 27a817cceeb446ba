import { isStepCount, ToolLoopAgent, tool } from "ai";
import { description, input, instructions, message, output } from "./open-place.ts";
import { steppingModel } from "./stepping-model.ts";

/** The loop alone: no gate, no log, no record. */
export function bareLoop(toolSteps: number): () => Promise<void> {
  const execute = ({ a, b }: { a: number; b: number }) => ({ sum: a + b });
  const agent = new ToolLoopAgent({
    ...{ model: steppingModel({ toolSteps }), instructions, stopWhen: isStepCount(toolSteps + 1) },
    tools: { add: tool({ description, inputSchema: input, outputSchema: output, execute }) },
  });
  return async () => {
    const { stream, steps, text } = await agent.stream({ prompt: message });
    for await (const _ of stream);
    mustBeDone({ text: await text, steps: (await steps).length }, toolSteps);
  };
}

export async function mastraLoop(toolSteps: number): Promise<() => Promise<void>> {
  process.env.MASTRA_TELEMETRY_DISABLED = "1";
  const { Agent } = await import("@mastra/core/agent");
  const { createTool } = await import("@mastra/core/tools");
  const add = createTool({
    ...{ id: "add", description, inputSchema: input, outputSchema: output },
    execute: async ({ a, b }) => ({ sum: a + b }),
  });
  const agent = new Agent({ id: "bench", name: "Bench", instructions, model: steppingModel({ toolSteps }) as never, tools: { add } });
  return async () => {
    const { fullStream, steps, text } = await agent.stream(message, { maxSteps: toolSteps + 1 });
    for await (const _ of fullStream);
    mustBeDone({ text: await text, steps: (await steps).length }, toolSteps);
  };
}

/** Of every side: a loop that ended early would be quick. */
export function mustBeDone({ text, steps }: { readonly text: string; readonly steps: number }, toolSteps: number): void {
  if (!text.endsWith("Done.") || steps !== toolSteps + 1)
    throw new Error(`A loop ended after ${steps} steps with ${JSON.stringify(text)}.`);
}
