import { globSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { createManualClock, embedderConformance } from "@toolwright/engine/testing";
import { describe, expect, it } from "vitest";
import { createLocalEmbedder } from "./local-embedder.ts";

describe("the local embedder", () => {
  const near = [
    ["put a file in the cloud", "upload documents to online storage"],
    ["how warm will it be tomorrow", "the weather forecast"],
    ["pay an invoice", "transfer money for a bill"],
  ] as const;
  for (const { name, run } of embedderConformance(() => createLocalEmbedder(), near)) it(name, run);

  it("reads a question without its capital and its mark as one that has them, and leaves other texts as they are", async () => {
    const embedder = createLocalEmbedder();
    const [bare, whole, noun, marked] = await embedder.embed(["when is it due ", "When is it due?", "due date", "Due date?"]);
    await embedder.close?.();
    expect(cosineOf(bare, whole)).toBeCloseTo(1, 5);
    expect(cosineOf(noun, marked)).toBeLessThan(0.99);
  });

  it("unloads its model when nobody has asked for ten minutes, and loads it again", async () => {
    const clock = createManualClock();
    const embedder = createLocalEmbedder({ clock });
    const threads = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
    const before = threads();
    await embedder.embed(["a"]);
    await clock.advance(9 * 60_000);
    await embedder.embed(["a"]);
    await clock.advance(9 * 60_000);
    const [quick] = await timed(() => embedder.embed(["a"]));
    await clock.advance(10 * 60_000);
    const [slow] = await timed(() => embedder.embed(["a"]));
    expect(slow).toBeGreaterThan(3 * quick);
    await embedder.close?.();
    expect(threads()).toBe(before);
  });

  it("serves tenants in turn: who comes later waits for one turn of who floods (R-SH-1)", async () => {
    const embedder = createLocalEmbedder();
    const ended: string[] = [];
    const ask = (tenant: string) =>
      embedder.embed([`a question of ${tenant}`], { sharer: { tenant, person: "user ann" } }).then(() => ended.push(tenant));
    const asked = Array.from({ length: 12 }, () => ask("flooder"));
    await Promise.all([...asked, ask("other")]);
    await embedder.close?.();
    // Behind the one that is served, and one turn more.
    expect(ended.indexOf("other")).toBe(2);
  });

  // Ten behind, a search waited for minutes on two processors that eight programs kept busy.
  it.skipIf(process.platform !== "linux")("stands back a little, so that a search gets its turn on a busy machine", async () => {
    const embedder = createLocalEmbedder();
    await embedder.embed(["a"]);
    const last = Math.max(...nicenessOfThreads());
    await embedder.close?.();
    expect(last).toBe(Math.min(19, getPriority() + 4));
  });
});

/** Field 19 of proc_pid_stat(5), counted behind the name of the thread, which may hold anything. */
const nicenessOfThreads = () =>
  globSync("/proc/self/task/*/stat").map((path) => {
    const stat = readFileSync(path, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });

const cosineOf = (one: Float32Array = new Float32Array(), other: Float32Array = new Float32Array()) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

async function timed<Value>(run: () => Promise<Value>): Promise<readonly [ms: number, value: Value]> {
  const from = performance.now();
  const value = await run();
  return [performance.now() - from, value];
}
