import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createLocalEmbedder } from "@toolwright/embeddings";
import { createEngine, defaultPolicy, type Principal } from "@toolwright/engine";
import { createMemoryForeignMarks, createRandomIds, type Embedder, type MemoryStore, systemClock } from "@toolwright/engine/ports";
import { openStore } from "@toolwright/postgres";
import { indexText, memoryCapability, memoryTools } from "@toolwright/tools";
import { sql } from "kysely";
import { median, medianRatio, type Row, timeRounds } from "./measure.ts";

const entries = 5_000;
const permissions = ["memory.tenant.read", "memory.tenant.update"];
const principal: Principal = { tenant: "default", actor: { kind: "agent", id: "bench" }, agent: "bench", permissions, door: "ai-sdk" };
const owner = { tenant: "default", owner: "agent:bench" };

const things = "release invoice server printer meeting contract backup customer budget holiday password deploy".split(" ");
const places = "Lisbon Frankfurt Paris Oslo Vienna Madrid Dublin Warsaw Athens Bern".split(" ");
const people = "Ann Bob Eve Dan Mia Tom Ida Max Lea Ben Zoe".split(" ");
const at = (list: readonly string[], index: number) => list[index % list.length] ?? "";
const factOf = (index: number) =>
  `The ${at(things, index)} number ${index} in ${at(places, Math.floor(index / 7))} is looked after by ${at(people, Math.floor(index / 3))} since the ${at(things, index * 5 + 1)} of last year`;

/** One entry found and one saved among 5,000, through the gate and in an embedded database, beside the reference memory server over stdio. */
export async function measure(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "toolwright-memories-"));
  const store = await openStore({ folder: join(folder, "store"), process: "prc_bench", holder: "a benchmark" });
  const peer = await openPeer(join(folder, "peer.jsonl"));
  const embedder = await createLocalEmbedder();
  try {
    await fill(store.memories, embedder);
    // As the embedded database does by itself within a minute.
    await sql`VACUUM ANALYZE`.execute(store.database.owner);
    let next = 0;
    const query = () => `who looks after the ${at(things, ++next)} in ${at(places, next * 3)}`;
    const [byText, byVectors] = [openScope(store.memories), openScope(store.memories, embedder)];
    const search = (scope: Scope) => done(scope, "memory_search", { query: query() });
    const times = await timeRounds({
      text: () => search(byText),
      vectors: () => search(byVectors),
      save: () => done(byText, "memory_save", { content: factOf(entries + ++next) }),
      peerSearch: () => peer.callTool({ name: "search_nodes", arguments: { query: at(places, ++next) } }),
      peerSave: () => peer.callTool({ name: "create_entities", arguments: { entities: [entityOf(entries + ++next)] } }),
    });
    const row = (name: string, [ours, theirs]: readonly ["text" | "vectors" | "save", "peerSearch" | "peerSave"], most: number): Row => {
      const value = median(times[ours]) / 1e6;
      return {
        ...{
          name,
          ours: value,
          peer: median(times[theirs]) / 1e6,
          peerName: "server-memory",
          ratio: medianRatio(times[ours], times[theirs]),
        },
        ...{ unit: "ms p50", target: `at most ${most} ms`, holds: value <= most },
      };
    };
    return [
      row(`search of ${entries} memories by words`, ["text", "peerSearch"], 15),
      row(`search of ${entries} memories by vectors too`, ["vectors", "peerSearch"], 80),
      row(`save among ${entries} memories`, ["save", "peerSave"], 10),
    ];
  } finally {
    await embedder.close();
    await peer.close();
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** Their vectors are random ones: what is compared costs the same. */
async function fill(memories: MemoryStore, { model, dimensions }: Embedder): Promise<void> {
  const by = principal.actor;
  for (let index = 0; index < entries; index += 1) {
    const content = factOf(index);
    const memory = { key: `fact-${index}`, content, category: "core", trust: "agent", sources: [], savedAt: index, by } as const;
    await memories.save(owner, { ...memory, index: indexText(content) });
  }
  const lack = await memories.vectors.unavailable();
  if (lack !== undefined) throw new Error(lack);
  for (;;) {
    const pending = await memories.vectors.pending(model, { limit: 500 });
    if (pending.length === 0) return;
    const vector = () => Float32Array.from({ length: dimensions }, () => (Math.random() - 0.5) / Math.sqrt(dimensions / 12));
    await memories.vectors.keep(
      model,
      pending.map((each) => ({ ...each, vector: vector() })),
    );
  }
}

function openScope(store: MemoryStore, embedder?: Embedder) {
  const foreign = createMemoryForeignMarks();
  const memory = memoryCapability({
    store,
    foreign,
    clock: systemClock,
    ids: createRandomIds(),
    embedder: embedder && (async () => embedder),
  });
  const policy = [{ tier: "platform" as const, document: { ...defaultPolicy, autonomy: "full" as const } }];
  return createEngine({ tools: memoryTools, policy, capabilities: [memory], foreign }).scope(principal, { session: "bench" });
}
type Scope = ReturnType<typeof openScope>;

async function done(scope: Scope, tool: string, input: object): Promise<void> {
  const result = await scope.invokeNamed(tool, input);
  if (result.status !== "done") throw new Error(`The benchmark's own call ended as ${JSON.stringify(result)}`);
}

const entityOf = (index: number) => ({ name: `fact-${index}`, entityType: "fact", observations: [factOf(index)] });

async function openPeer(file: string): Promise<Client> {
  const main = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main],
    env: { MEMORY_FILE_PATH: file },
    stderr: "ignore",
  });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  for (let index = 0; index < entries; index += 500)
    await client.callTool({
      name: "create_entities",
      arguments: { entities: Array.from({ length: 500 }, (_, offset) => entityOf(index + offset)) },
    });
  return client;
}
