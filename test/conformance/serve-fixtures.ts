import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMcpDoor, openAccess } from "@toolwright/doors/mcp";
import { defineTool } from "@toolwright/engine";
import { composeToolwright } from "@toolwright/server";
import { listen } from "@toolwright/server/http";
import { type Io, readSettings } from "toolwright";
import { listChanges } from "./fixture-pack/changes.ts";
import { fixturePrompts } from "./fixture-pack/prompts.ts";
import { fixtureResources } from "./fixture-pack/resources.ts";
import { says } from "./fixture-pack/samples.ts";

/** The product as `toolwright serve` puts it together, with the fixtures of the official suites as its folder of tools. Prints its URL. */
const folder = await mkdtemp(join(tmpdir(), "toolwright-conformance-"));
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());

const io: Io = {
  env: { ...process.env, TOOLWRIGHT_STATE: join(folder, "state") },
  cwd: folder,
  out: (text) => void process.stdout.write(text),
  outBytes: async (bytes) => void process.stdout.write(bytes),
  err: (text) => void process.stderr.write(text),
  readStdin: async () => "",
  inputEnded: async () => {},
  isInteractive: false,
  outIsTerminal: false,
  columns: 120,
  ask: async () => undefined,
  signal: stopping.signal,
};
const settings = readSettings(
  { tools: fileURLToPath(new URL("./fixture-pack", import.meta.url)), workspace: join(folder, "workspace") },
  io,
);
const toolwright = await composeToolwright(settings, io);
const tenant = "conformance";
await toolwright.store.tenants.ensure(tenant);
for (const { message } of toolwright.loaded?.problems ?? []) io.err(`Left out: ${message}\n`);

const door = createMcpDoor({
  engine: toolwright.engine,
  logger: toolwright.logger,
  serverInfo: { name: "toolwright-conformance", version: "1.0.0" },
  authentication: openAccess({ tenant, actor: { kind: "user", id: "suite" }, permissions: [], door: "mcp" }),
  resources: fixtureResources,
  prompts: fixturePrompts,
  complete: async () => ({ values: [], total: 0, hasMore: false }),
});

let added = 0;
listChanges.subscribe((list) => {
  if (list !== "tools") return;
  const name = `test_added_${++added}`;
  toolwright.engine.register([defineTool({ name, description: "Was added while the server ran.", ...says("Added.") })]);
});

const server = await listen((request) => door.fetch(request), { host: "127.0.0.1", port: 0, onError: (error) => io.err(`${error}\n`) });
io.out(`http://localhost:${new URL(server.url).port}/mcp\n`);

stopping.signal.addEventListener("abort", async () => {
  await server.close(0, () => door.close());
  await toolwright.close();
  await rm(folder, { recursive: true, force: true });
});
