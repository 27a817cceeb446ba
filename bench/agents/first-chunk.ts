import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createModelSource, openAICompatibleModels } from "@toolwright/agents";
import { openStore } from "@toolwright/postgres";
import { startTestServer } from "@toolwright/postgres/testing";
import type { ScriptedAnswer } from "../../examples/scripted-model.ts";
import { serveScriptedModel } from "../../examples/scripted-model.ts";
import { median, type Row } from "../measure.ts";
import { ann, openPlace, type Place } from "./open-place.ts";

const rounds = 15;
/** Milliseconds before a provider begins to answer, and before it goes on. */
const delayMs = 300;
const mostMs = 30;

/** From the first words of a provider until somebody sees them who watches at another process of the same database. */
export async function measureFirstChunk(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  const server = await startTestServer();
  let saidAt = Number.NaN;
  const model = await serveScriptedModel(answers(() => (saidAt = performance.now())));
  const open = (name: string) => openStore({ url: server.url, folder, process: `prc_${name}`, holder: "a benchmark" });
  const [store, other] = [await open("one"), await open("other")];
  try {
    const providers = new Map([["openai-compatible", async () => openAICompatibleModels({ server: { url: model.url } })]]);
    const models = createModelSource({ usual: "openai-compatible/scripted", providers });
    const [place, watching] = [openPlace(store, { models }), openPlace(other, { models })];
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const running = place.run();
      times.push((await firstWords(watching)) - saidAt);
      await running;
    }
    await Promise.all([place.engine.close(), watching.engine.close()]);
    const ours = median(times);
    const about = { name: "first words after the provider's", unit: "ms p50", peerName: "the limit", target: `at most ${mostMs} ms` };
    return [{ ...about, ours, peer: mostMs, ratio: ours / mostMs, holds: ours <= mostMs }];
  } finally {
    await Promise.all([store.close(), other.close(), model.close()]);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function* answers(said: () => void): Generator<ScriptedAnswer> {
  for (;;)
    yield async (outgoing) => {
      const write = (choice: object) => {
        const chunk = { id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices: [{ index: 0, ...choice }] };
        outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`);
      };
      await pause(delayMs);
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      said();
      write({ delta: { role: "assistant", content: "Once upon a time" } });
      await pause(delayMs);
      write({ delta: { content: " there was an end." } });
      write({ delta: {}, finish_reason: "stop" });
      outgoing.end("data: [DONE]\n\n");
    };
}

/** When somebody sees words of the turn that runs. */
async function firstWords({ engine }: Place): Promise<number> {
  for (;;) {
    const { items } = await engine.operate(ann, "turns.list", { states: ["running"] });
    const [turn] = items;
    if (!turn) {
      await pause(5);
      continue;
    }
    const ended = new AbortController();
    const parts = await engine.follow(ann, "turns.watch", { id: turn.id }, { signal: ended.signal });
    for await (const { chunks } of parts as AsyncIterable<{ readonly chunks: readonly { readonly type: string }[] }>) {
      if (!chunks.some(({ type }) => type === "text-delta")) continue;
      ended.abort();
      return performance.now();
    }
    throw new Error("The turn ended without words.");
  }
}
