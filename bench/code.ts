import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { experimental_runCodeMode as runCodeMode } from "@ai-sdk/code-mode";
import { createEngine, defaultPolicy, type EngineOptions, type Principal } from "@toolwright/engine";
import { systemClock } from "@toolwright/engine/ports";
import { openStore } from "@toolwright/postgres";
import { filesCapability } from "@toolwright/sandbox";
import { builtinPermissions, codeCapability, codeRun, fileRead, fileWrite } from "@toolwright/tools";
import { tool } from "ai";
import { z } from "zod";
import { median, medianRatio, type Row } from "./measure.ts";

const many = 200;
const mostTimes = 1.2;
const permissions = builtinPermissions;
const principal: Principal = { tenant: "default", actor: { kind: "agent", id: "bench" }, permissions, door: "ai-sdk" };

/**
 * A program of 200 calls, one after the other, beside the same calls through the same gate: made directly, and by the peer's program. On the embedded
 * store, as the product makes them, and in memory. Where a call takes a tenth of a millisecond, its two changes of thread show.
 */
export async function measure(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "toolwright-code-"));
  const workspace = await mkdtemp(join(folder, "workspace-"));
  for (let index = 0; index < many; index += 1) await writeFile(join(workspace, `${index}.txt`), `${index}\n`.repeat(50));
  const store = await openStore({ folder: join(folder, "store"), process: "prc_bench", holder: "bench" });
  const { events, approvals, callTree, clock, idempotency } = store;
  const embedded = { events, approvals, callTree, clock, idempotency };
  const writes = await compare(workspace, embedded, {
    call: (name) => `(await tools.${name}({ path: "new_" + index + ".txt", content: "Text." })).path`,
    name: "file_write",
    inputOf: (index) => ({ path: `new_${index}.txt`, content: "Text." }),
  });
  const read: CallsOf = {
    call: (name) => `(await tools.${name}({ path: index + ".txt" })).text`,
    name: "file_read",
    inputOf: (index) => ({ path: `${index}.txt` }),
  };
  const reads = await compare(workspace, embedded, read);
  await store.close();
  const readsInMemory = await compare(workspace, {}, read);
  await rm(folder, { recursive: true });
  return [
    row("200 writes by a program, embedded store", writes, { other: "direct", most: mostTimes }),
    row("200 reads by a program, embedded store", reads, { other: "direct", most: mostTimes }),
    row("200 reads by a program, in memory", readsInMemory, { other: "direct", most: mostTimes }),
    row("200 reads by a program, in memory", readsInMemory, { other: "peer", most: 1 }),
  ];
}

interface CallsOf {
  readonly name: "file_read" | "file_write";
  readonly inputOf: (index: number) => { readonly path: string; readonly content?: string };
  /** The same call in a program, where the tool has that name. */
  readonly call: (name: string) => string;
}

type Times = Record<"ours" | "direct" | "peer", readonly number[]>;

async function compare(workspace: string, stores: EngineOptions, { name, inputOf, call }: CallsOf): Promise<Times> {
  const engine = createEngine({
    ...stores,
    tools: [fileRead, fileWrite, codeRun],
    policy: [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full" } }],
    capabilities: [filesCapability({ workspaceOf: () => workspace }), codeCapability({ clock: systemClock })],
  });
  const scope = engine.scope(principal, { session: "bench" });
  const make = async (toolName: string, input: object) => {
    const result = await scope.invokeNamed(toolName, input);
    if (result.status !== "done") throw new Error(`The benchmark's own call ended as ${JSON.stringify(result)}`);
    return result.output as { path: string; text: string; result: string };
  };
  const program = (toolName: string) => `
    let length = 0;
    for (let index = 0; index < ${many}; index += 1) length += ${call(toolName)}.length;
    return length;`;
  const input = z.object({ path: z.string(), content: z.string().optional() });
  const tools = { one: tool({ inputSchema: input, execute: (given) => make(name, given) }) };
  const functions = {
    ours: async () => Number((await make("code_run", { program: program(name) })).result),
    async direct() {
      let length = 0;
      for (let index = 0; index < many; index += 1) {
        const { path, text = path } = await make(name, inputOf(index));
        length += text.length;
      }
      return length;
    },
    peer: async () => Number(await runCodeMode({ js: program("one"), tools })),
  };
  const lengths = [await functions.ours(), await functions.direct(), await functions.peer()];
  if (new Set(lengths).size !== 1) throw new Error(`The programs came to different ends: ${lengths.join(", ")}`);
  // A write waits until the log holds it and what came before: what each side left to be written is its own time.
  const times = await timeEach(functions, () => make("file_write", { path: "last.txt", content: "Text." }));
  await engine.close();
  return times;
}

const rounds = 7;

/** Each takes long enough to be timed once a round. */
async function timeEach(functions: Record<keyof Times, () => Promise<unknown>>, settle: () => Promise<unknown>): Promise<Times> {
  const times = { ours: [] as number[], direct: [] as number[], peer: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of ["ours", "direct", "peer"] as const) {
      const from = performance.now();
      await functions[name]();
      await settle();
      times[name].push(performance.now() - from);
    }
  }
  return times;
}

function row(name: string, times: Times, { other, most }: { readonly other: "direct" | "peer"; readonly most: number }): Row {
  const ratio = medianRatio(times.ours, times[other]);
  return {
    ...{ name, ours: median(times.ours), peer: median(times[other]), ratio, unit: "ms p50" },
    peerName: other === "peer" ? "code-mode" : "directly",
    ...{ target: `at most ${most} times`, holds: ratio <= most },
  };
}
