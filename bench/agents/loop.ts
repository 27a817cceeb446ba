import { median, medianRatio, type Row, timeRounds } from "../measure.ts";
import { memoryStores, openPlace, type Place } from "./open-place.ts";
import { bareLoop, mastraLoop, mustBeDone } from "./peers.ts";
import { steppingModel } from "./stepping-model.ts";

export const toolSteps = 14;
/** With the answer. */
export const steps = toolSteps + 1;
const manyTools = 100;
const mostMoreMs = 1;

/** A turn that has to come to its end. */
export async function runWhole({ run }: Place): Promise<void> {
  const { output, ...rest } = await run();
  if (!output) throw new Error(`The call of the agent is ${JSON.stringify(rest)}.`);
  mustBeDone({ text: output.text, steps: output.usage.steps }, toolSteps);
}

/** With everything in memory, beside the SDK's own loop and that of Mastra; and with many tools beside one. */
export async function measureLoop(): Promise<readonly Row[]> {
  const model = steppingModel({ toolSteps });
  const ours = openPlace(memoryStores(), { model });
  const many = openPlace(memoryStores(), { model, tools: manyTools });
  const times = await timeRounds({
    ours: () => runWhole(ours),
    bare: bareLoop(toolSteps),
    mastra: await mastraLoop(toolSteps),
    many: () => runWhole(many),
  });
  await Promise.all([ours.engine.close(), many.engine.close()]);
  const usOf = (values: readonly number[]) => median(values) / steps / 1_000;
  const beside = (peerName: "bare" | "mastra", target: string, most: number): Row => {
    const ratio = medianRatio(times.ours, times[peerName]);
    const about = { name: `a step in memory beside ${peerName}`, unit: "µs p50", peerName, target };
    return { ...about, ours: usOf(times.ours), peer: usOf(times[peerName]), ratio, holds: ratio <= most };
  };
  const moreMs = median(times.many.map((all, round) => all - (times.ours[round] ?? Number.NaN))) / steps / 1e6;
  return [
    beside("bare", "at most 1.5 times", 1.5),
    beside("mastra", "at least 3 times faster", 1 / 3),
    {
      ...{ name: `a step with ${manyTools} tools`, unit: "µs p50", target: `at most ${mostMoreMs} ms more`, peerName: "one tool" },
      ...{ ours: usOf(times.many), peer: usOf(times.ours), ratio: medianRatio(times.many, times.ours), holds: moreMs <= mostMoreMs },
    },
  ];
}
