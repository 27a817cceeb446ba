import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as later } from "node:timers/promises";
import { createLocalEmbedder } from "@toolwright/embeddings";
import { createRandomIds, putDocument, silentLogger, systemClock } from "@toolwright/engine/ports";
import { openStore, type Store } from "@toolwright/postgres";
import { startDocuments, startVectors } from "@toolwright/tools";
import type { Row } from "./measure.ts";

/** Passages a second that are read, cut, indexed and stored by text, on the embedded database. */
const leastPerSecond = 150;
/** Milliseconds that the process answers nobody, while passages are stored or get their vectors. */
const longestGap = 50;
const [sections, sectionsWithVectors] = [2_000, 300];
const names = ["valve", "pump", "rotor", "gauge", "seal", "filter", "bearing", "motor", "sensor", "switch", "cable", "flange"];
const acts = ["inspected", "replaced", "cleaned", "measured", "oiled", "tightened", "calibrated", "tested"];
const parts = { clock: systemClock, logger: silentLogger };

/** What is measured against, since nobody else is: the target. */
const row = ({ name, ours, target, unit }: { name: string; ours: number; target: number; unit: "1/s" | "ms" }): Row => ({
  ...{ name, ours, peer: target, peerName: "target", ratio: ours / target, unit },
  ...{ target: unit === "ms" ? `below ${target} ms` : `at least ${target}/s`, holds: unit === "ms" ? ours < target : ours >= target },
});

export async function measure(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-ingest-"));
  const store = await openStore({ folder: join(folder, "db"), process: "bench", holder: "bench" });
  const stop = startDocuments({ store: store.knowledge, ids: createRandomIds(), ...parts });
  try {
    const begun = performance.now();
    const [chunks, gap] = await withGaps(() => read(store, sections));
    const perSecond = chunks / ((performance.now() - begun) / 1_000);
    const [withVectors, vectorGap] = await measureVectors(store);
    return [
      row({ name: `${chunks} passages of a document are read by text`, ours: perSecond, target: leastPerSecond, unit: "1/s" }),
      row({ name: "the longest gap of the event loop meanwhile", ours: gap, target: longestGap, unit: "ms" }),
      row({ name: `the same, while ${withVectors} passages are read with vectors`, ours: vectorGap, target: longestGap, unit: "ms" }),
    ];
  } finally {
    await stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The longest time that a timer was late, in milliseconds. */
async function withGaps<Result>(work: () => Promise<Result>): Promise<[result: Result, gap: number]> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const result = await work();
  delays.disable();
  return [result, delays.max / 1e6];
}

/** Of a second document, with the local model. */
async function measureVectors(store: Store): Promise<[chunks: number, gap: number]> {
  const embedder = await createLocalEmbedder();
  const index = store.knowledge.vectors;
  // The first document has its own by then, of a model that answers at once.
  for (;;) {
    const waiting = await index.pending(embedder.model, { limit: 500 });
    if (waiting.length === 0) break;
    await index.keep(
      embedder.model,
      waiting.map((each) => ({ ...each, vector: new Float32Array(embedder.dimensions).fill(0.1) })),
    );
  }
  const stop = startVectors({ index, embedder: async () => embedder, ...parts });
  try {
    return await withGaps(async () => {
      const chunks = await read(store, sectionsWithVectors);
      while ((await index.pending(embedder.model, { limit: 1_000, tenant: "default" })).length > 0) await later(500);
      return chunks;
    });
  } finally {
    await stop();
    await embedder.close();
  }
}

/** Has a document read, and gives its passages. */
async function read({ knowledge }: Store, count: number): Promise<number> {
  const bytes = Buffer.from(writeManual(count));
  const hash = createHash("sha256").update(bytes).digest("hex");
  const source = { kind: "file", place: `/manual-${count}.md` } as const;
  const given = { title: "manual.md", collection: "bench", source, mediaType: "text/markdown", hash, trust: "foreign" as const };
  const { document } = await putDocument(
    knowledge,
    { ...given, tenant: "default", sources: [], by: { kind: "user", id: "bench" }, at: Date.now() },
    bytes,
  );
  return whenRead(() => knowledge.get("default", document.id));
}

async function whenRead(look: () => Promise<{ readonly state: string; readonly chunks: number } | undefined>): Promise<number> {
  for (;;) {
    const found = await look();
    if (found?.state === "ready") return found.chunks;
    if (found?.state === "failed") throw new Error("The document could not be read.");
    await later(20);
  }
}

/** Sections of about a passage each, no two the same. */
function writeManual(count: number): string {
  const sentence = (n: number) =>
    `The ${names[n % 12]} ${n} is ${acts[n % 8]} by the ${names[(n * 7) % 12]} team after ${n % 97} hours, by rule R-${n}-${n % 13}. `;
  const section = (n: number) => `## Section ${n}\n\n${Array.from({ length: 13 }, (_, at) => sentence(n * 13 + at)).join("")}`;
  return Array.from({ length: count }, (_, n) => section(n)).join("\n\n");
}
