import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandomIds, putDocument, silentLogger, systemClock } from "@toolwright/engine/ports";
import { openStore } from "@toolwright/postgres";
import { startDocuments } from "@toolwright/tools";
import type { Row } from "./measure.ts";

/** Passages a second that are read, cut, indexed and stored by text, on the embedded database. */
const leastPerSecond = 150;
const sections = 2_000;
const names = ["valve", "pump", "rotor", "gauge", "seal", "filter", "bearing", "motor", "sensor", "switch", "cable", "flange"];
const acts = ["inspected", "replaced", "cleaned", "measured", "oiled", "tightened", "calibrated", "tested"];

export async function measure(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-ingest-"));
  const store = await openStore({ folder: join(folder, "db"), process: "bench", holder: "bench" });
  try {
    const bytes = Buffer.from(writeManual());
    const hash = createHash("sha256").update(bytes).digest("hex");
    const source = { kind: "file", place: "/manual.md" } as const;
    const given = { title: "manual.md", collection: "bench", source, mediaType: "text/markdown", hash, trust: "foreign" as const };
    const { document } = await putDocument(
      store.knowledge,
      { ...given, tenant: "default", sources: [], by: { kind: "user", id: "bench" }, at: Date.now() },
      bytes,
    );
    const begun = performance.now();
    const stop = startDocuments({ store: store.knowledge, clock: systemClock, ids: createRandomIds(), logger: silentLogger });
    const chunks = await whenRead(() => store.knowledge.get("default", document.id));
    const ours = chunks / ((performance.now() - begun) / 1_000);
    await stop();
    const target = `at least ${leastPerSecond}/s`;
    const name = `${chunks} passages of a document are read by text`;
    return [
      {
        name,
        ours,
        peer: leastPerSecond,
        peerName: "target",
        ratio: ours / leastPerSecond,
        unit: "1/s",
        target,
        holds: ours >= leastPerSecond,
      },
    ];
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function whenRead(look: () => Promise<{ readonly state: string; readonly chunks: number } | undefined>): Promise<number> {
  for (;;) {
    const found = await look();
    if (found?.state === "ready") return found.chunks;
    if (found?.state === "failed") throw new Error("The document could not be read.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sections of about a passage each, no two the same. */
function writeManual(): string {
  const sentence = (n: number) =>
    `The ${names[n % 12]} ${n} is ${acts[n % 8]} by the ${names[(n * 7) % 12]} team after ${n % 97} hours, by rule R-${n}-${n % 13}. `;
  const section = (n: number) => `## Section ${n}\n\n${Array.from({ length: 13 }, (_, at) => sentence(n * 13 + at)).join("")}`;
  return Array.from({ length: sections }, (_, n) => section(n)).join("\n\n");
}
