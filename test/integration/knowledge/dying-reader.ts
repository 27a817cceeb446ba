// A process that adds a document to the store of a server and ends, as by `kill -9`, while it writes what it read.
import { createHash } from "node:crypto";
import { type Chunk, createRandomIds, type KnowledgeStore, putDocument, systemClock } from "@toolwright/engine/ports";
import { openStore } from "@toolwright/postgres";
import { startDocuments } from "@toolwright/tools";

const [url = "", text = ""] = process.argv.slice(2);
/** Passages after which it ends: more than one transaction writes. */
const written = 150;

function* endAfter(chunks: Iterable<Chunk>): Generator<Chunk> {
  let count = 0;
  for (const chunk of chunks) {
    count += 1;
    if (count > written) process.kill(process.pid, "SIGKILL");
    yield chunk;
  }
}

const { knowledge } = await openStore({ url, process: "dying", holder: "a process that dies" });
const bytes = Buffer.from(text);
await putDocument(
  knowledge,
  {
    ...{
      tenant: "default",
      collection: "default",
      title: "Long.md",
      source: { kind: "file", place: "/Long.md" },
      mediaType: "text/markdown",
    },
    ...{
      hash: createHash("sha256").update(bytes).digest("hex"),
      trust: "foreign",
      sources: [],
      by: { kind: "user", id: "ann" },
      at: Date.now(),
    },
  },
  bytes,
);
const store: KnowledgeStore = { ...knowledge, install: (ref, read) => knowledge.install(ref, { ...read, chunks: endAfter(read.chunks) }) };
startDocuments({ store, clock: systemClock, ids: createRandomIds(), logger: { log: () => {} } });
