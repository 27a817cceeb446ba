import { createMcpDoor, openAccess } from "@toolwright/doors/mcp";
import { createRestDoor } from "@toolwright/doors/rest";
import {
  answerOf,
  type DoorAdapter,
  type DoorClient,
  type DoorWorld,
  formDoor,
  restDoor,
  type ServedRest,
} from "@toolwright/doors/testing";
import type { CallResult } from "@toolwright/engine";
import { createMemoryTenantStore } from "@toolwright/engine/ports";
import type { Toolwright } from "@toolwright/server";
import { serverFacts } from "@toolwright/server/facts";
import { apiPath, listen, route } from "@toolwright/server/http";
import type { Embedding, Io, RunProgram } from "../io.ts";

/** REST from a server that listens, over its sockets. */
export const servedRestDoor: DoorAdapter = restDoor({ name: "rest, served", accept: "application/json", serve });

/** The web form, to a server that listens. */
export const servedFormDoor: DoorAdapter = formDoor(serve);

/** The command line, in this process: `call`, `list` and `approvals run` with `--json`, on the engine of the suite; and with `--server`, to a server that listens. */
export const cliDoors = (runProgram: RunProgram): readonly DoorAdapter[] => [
  {
    name: "cli",
    open: async (world) => clientOf((argv, io) => runProgram(argv, { ...io, embedding: embedding(world) })),
  },
  {
    name: "cli --server",
    async open(world) {
      const served = await serve(world);
      return { ...clientOf(runProgram, ["--server", served.origin]), close: served.close };
    },
  },
];

async function serve({ engine, principal }: DoorWorld): Promise<ServedRest> {
  const common = { engine, authentication: openAccess(principal) };
  const doors = { mcp: createMcpDoor({ ...common, ...serverFacts }), rest: createRestDoor({ ...common, path: apiPath, ownPages: {} }) };
  const { mcp, rest } = doors;
  const server = await listen(route({ toolwright: { engine, store: {} }, mcp: mcp.fetch, rest: rest.fetch }), {
    host: "127.0.0.1",
    port: 0,
    onError: (error) => {
      throw error;
    },
  });
  const closeDoors = async () => void (await Promise.all([mcp.close(), rest.close()]));
  return { origin: server.url, fetch, close: () => server.close(1_000, closeDoors) };
}

/** What calls use of the product. The policy in force is the engine's own. */
function embedding({ engine, principal, session }: DoorWorld): Embedding {
  const tenants = createMemoryTenantStore();
  const settings = { workspace: process.cwd() };
  const toolwright = { engine, settings, store: { tenants: { ...tenants, has: () => true } }, lookAtMachine: async () => {} };
  return { toolwright: toolwright as unknown as Toolwright, principal, session };
}

function clientOf(runProgram: RunProgram, options: readonly string[] = []): DoorClient {
  const heard: string[] = [];
  const run = async (command: readonly string[], ...words: readonly string[]) => {
    let out = "";
    const keep = (text: string) => void heard.push(text);
    const io: Io = {
      env: {},
      cwd: process.cwd(),
      out(text) {
        keep(text);
        out += text;
      },
      err: keep,
      outBytes: async () => {},
      readStdin: async () => "",
      inputEnded: async () => {},
      ask: async () => undefined,
      isInteractive: false,
      outIsTerminal: false,
      columns: 120,
      signal: new AbortController().signal,
    };
    const code = await runProgram([...command, ...options, "--json", ...words], io);
    if (out === "") throw new Error(`Exit code ${code}: ${heard.join("")}`);
    return JSON.parse(out) as unknown;
  };
  return {
    list: async () => (await run(["list"])) as Awaited<ReturnType<DoorClient["list"]>>,
    call: async (name, input) => answerOf((await run(["call"], name, JSON.stringify(input))) as CallResult),
    resume: async (id) => answerOf((await run(["approvals", "run"], id)) as CallResult),
    heard: () => heard.splice(0).join("\n"),
    close: async () => {},
  };
}
