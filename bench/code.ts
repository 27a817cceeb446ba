import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { experimental_runCodeMode as runCodeMode } from "@ai-sdk/code-mode";
import { createEngine, defaultPolicy, type Principal } from "@toolwright/engine";
import { systemClock } from "@toolwright/engine/ports";
import { filesCapability } from "@toolwright/sandbox";
import { codeCapability, codeRun, fileRead } from "@toolwright/tools";
import { tool } from "ai";
import { z } from "zod";
import { median, medianRatio, type Row, timeRounds } from "./measure.ts";

const many = 200;
const mostTimes = 1.2;
const permissions = ["files.tenant.read", "code.tenant.run"];
const principal: Principal = { tenant: "bench", actor: { kind: "agent", id: "bench" }, permissions, door: "ai-sdk" };

/** A program that reads 200 files one after the other, beside the same calls of the same tool, each through the gate: made directly, and by the peer. */
export async function measure(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "toolwright-code-"));
  for (let index = 0; index < many; index += 1) await writeFile(join(folder, `${index}.txt`), `${index}\n`.repeat(50));
  const engine = createEngine({
    tools: [fileRead, codeRun],
    policy: [{ tier: "platform", document: defaultPolicy }],
    capabilities: [filesCapability({ workspaceOf: () => folder }), codeCapability({ clock: systemClock })],
  });
  const scope = engine.scope(principal, { session: "bench" });
  const read = async (path: string) => {
    const result = await scope.invoke("file_read", { path });
    if (result.status !== "done") throw new Error(`The benchmark's own call ended as ${JSON.stringify(result)}`);
    return result.output as { text: string };
  };
  const sum = (call: string) => `
    let length = 0;
    for (let index = 0; index < ${many}; index += 1) length += (await tools.${call}({ path: index + ".txt" })).text.length;
    return length;`;
  const tools = { read: tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => read(path) }) };
  const ours = async () => {
    const result = await scope.invoke("code_run", { program: sum("file_read") });
    if (result.status !== "done") throw new Error(`The benchmark's own call ended as ${JSON.stringify(result)}`);
    return Number((result.output as { result: string }).result);
  };
  const direct = async () => {
    let length = 0;
    for (let index = 0; index < many; index += 1) length += (await read(`${index}.txt`)).text.length;
    return length;
  };
  const peer = () => runCodeMode({ js: sum("read"), tools });
  const lengths = [await ours(), await direct(), await peer()];
  if (new Set(lengths).size !== 1) throw new Error(`The programs came to different ends: ${lengths.join(", ")}`);
  const times = await timeRounds({ ours, direct, peer });
  await engine.close();
  await rm(folder, { recursive: true });
  const row = (name: string, other: "direct" | "peer", target: number): Row => {
    const ratio = medianRatio(times.ours, times[other]);
    return {
      ...{ name, ours: median(times.ours) / 1e6, peer: median(times[other]) / 1e6, ratio, unit: "ms p50" },
      ...{ peerName: other === "peer" ? "code-mode" : "directly", target: `at most ${target} times`, holds: ratio <= target },
    };
  };
  return [row(`a program of ${many} calls`, "direct", mostTimes), row(`a program of ${many} calls`, "peer", 1)];
}
