import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, test } from "vitest";
import { releaseTool } from "./release-tool.ts";
import { type Child, finish, Place, shim } from "./run-cli.ts";
import { killServer, type Served, startServer } from "./served.ts";

let place: Place;
beforeEach(async () => {
  place = await Place.make("server");
  for (const folder of ["workspace/runs", "tools", "chats"]) await mkdir(place.path(folder), { recursive: true });
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  await writeFile(place.path("tools/release.tool.ts"), releaseTool);
});
afterEach(() => place.remove());

type Mcp = "mcp 2026-07-28" | "mcp 2025-11-25" | "mcp, stdio";
const mcp: readonly Mcp[] = ["mcp 2026-07-28", "mcp 2025-11-25", "mcp, stdio"];

/** Processes on one store: a server, the server of a stdio client, and a program with the AI SDK and the command line. */
interface Life {
  readonly served: Served;
  readonly clients: Readonly<Record<Mcp, Client>>;
  /** Does one thing in the program after the other: `cli`, `approve`, `chat`, `answers`. */
  tell(...words: readonly string[]): Promise<string>;
  /** Kills all of them. */
  end(): Promise<void>;
}

async function beginLife({ answers }: { readonly answers: boolean }): Promise<Life> {
  const command = { command: process.execPath, args: [shim, "mcp"], cwd: place.root, env: place.env as Record<string, string> };
  const pipe = new StdioClientTransport({ ...command, stderr: "ignore" });
  const program = place.startNode(["--conditions=@toolwright/source", main, place.path("chats")]);
  const [served, stdio] = await Promise.all([startServer(place), connect(pipe, "legacy", answers)]);
  const http = () => new StreamableHTTPClientTransport(new URL(served.mcp));
  const [modern, legacy] = await Promise.all([connect(http(), { pin: "2026-07-28" }, answers), connect(http(), "legacy", answers)]);
  const clients = { "mcp 2026-07-28": modern, "mcp 2025-11-25": legacy, "mcp, stdio": stdio };
  return {
    served,
    clients,
    tell: talkTo(program),
    async end() {
      if (pipe.pid !== null) process.kill(pipe.pid, "SIGKILL");
      const ended = finish(program);
      program.kill("SIGKILL");
      await Promise.all([killServer(served), ended, ...mcp.map((door) => clients[door].close().catch(() => {}))]);
    },
  };
}

const main = fileURLToPath(new URL("./approvals-across-doors-main.ts", import.meta.url));

function talkTo(program: Child): Life["tell"] {
  const asked: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void }[] = [];
  let said = "";
  program.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  createInterface({ input: program.stdout }).on("line", (line) => asked.shift()?.resolve(line));
  program.once("exit", (code) => {
    for (const { reject } of asked) reject(new Error(`The program ended with ${code}: ${said}`));
  });
  return (...words) => {
    const { promise, ...settle } = Promise.withResolvers<string>();
    asked.push(settle);
    program.stdin.write(`${JSON.stringify(words)}\n`);
    return promise;
  };
}

/** A client whose person says yes to each form, or one that shows none. */
async function connect(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  mode: "legacy" | { readonly pin: "2026-07-28" },
  answers: boolean,
): Promise<Client> {
  const capabilities = answers ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: "doors", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
  if (answers) client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { decision: "approve" } }));
  client.onerror = () => {};
  await client.connect(transport);
  return client;
}

async function post({ listens }: Served, path: string, body: object): Promise<string> {
  const headers = { "content-type": "application/json" };
  return (await fetch(`${listens}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) })).text();
}

/** A call that is asked through one door and answered through another; its version names both. */
interface Asked {
  readonly version: string;
  readonly id: string;
}

type Act = (life: Life, asked: Asked) => Promise<string>;

const each = (act: (client: Client, asked: Asked) => Promise<string>): Readonly<Record<Mcp, Act>> => ({
  "mcp 2026-07-28": ({ clients }, asked) => act(clients["mcp 2026-07-28"], asked),
  "mcp 2025-11-25": ({ clients }, asked) => act(clients["mcp 2025-11-25"], asked),
  "mcp, stdio": ({ clients }, asked) => act(clients["mcp, stdio"], asked),
});
const callByMcp = each(async (client, { version }) => JSON.stringify(await client.callTool({ name: "release", arguments: { version } })));

const ask: Readonly<Record<string, Act>> = {
  ...callByMcp,
  rest: ({ served }, { version }) => post(served, "/tools/release/call", { version }),
  cli: ({ tell }, { version }) => tell("cli", "call", "release", JSON.stringify({ version }), "--json"),
  "ai sdk": ({ tell }, { version }) => tell("chat", version),
};

/** How each door answers for a person. A client of MCP makes the call again, is shown the form, and has the result with its answer. */
const answer: Readonly<Record<string, Act>> = {
  ...callByMcp,
  rest: ({ served }, { id }) => post(served, `/approvals/${id}/answer`, { outcome: { kind: "approve" } }),
  cli: ({ tell }, { id }) => tell("cli", "approvals", "approve", id, "--json"),
  "in process": ({ tell }, { id }) => tell("approve", id),
};

/** How the door that asked goes on with its call. The AI SDK goes on from its messages, also where the call has run meanwhile. */
const goOn: Readonly<Record<string, Act>> = {
  ...callByMcp,
  rest: ({ served }, { id }) => post(served, `/approvals/${id}/run`, {}),
  cli: ({ tell }, { id }) => tell("cli", "approvals", "run", id, "--json"),
  "ai sdk": ({ tell }, { version }) => tell("chat", version),
};

const others = Object.keys(ask).flatMap((asks) => Object.keys(answer).map((answers) => ({ asks, answers })));
/** A yes in the messages of the AI SDK is one to what it asked itself, and comes with the request that goes on. */
const own = { asks: "ai sdk", answers: "ai sdk" };
const pairs = [...others, own].map((pair) => ({ ...pair, version: `${pair.asks} by ${pair.answers}` }));
const hasRun = ({ asks, answers }: (typeof pairs)[number]) => asks !== "ai sdk" && Object.hasOwn(callByMcp, answers);

/** In a result, whatever it stands in. */
const ran = (said: string, version: string) => said.replaceAll("\\", "").includes(`"released":"${version}"`);

interface Logged {
  readonly type: string;
  readonly data: { readonly input?: { readonly id: string } };
}

test("what is asked through each door is answered through each other, with a restart between, and runs once", async () => {
  const first = await beginLife({ answers: false });
  const asked = await Promise.all(
    pairs.map(async (pair) => {
      const said = (await ask[pair.asks]?.(first, { ...pair, id: "" })) ?? "";
      return { ...pair, id: /apr_[A-Za-z0-9_-]{22}/.exec(said)?.[0] ?? said };
    }),
  );
  await first.end();

  const second = await beginLife({ answers: true });
  const results = await Promise.all(asked.map(async (each) => ({ ...each, said: await answer[each.answers]?.(second, each) })));
  const wentOn = asked.map(async (each, index) => {
    if (hasRun(each)) return results[index]?.said;
    return each.answers === own.answers ? second.tell("chat", each.version, "yes") : goOn[each.asks]?.(second, each);
  });
  const ended = await Promise.all(wentOn);
  expect(pairs.filter(({ version }, index) => !ran(ended[index] ?? "", version))).toEqual([]);
  const files = await readdir(place.path("workspace/runs"));
  const versions = await Promise.all(files.map((file) => readFile(place.path("workspace/runs", file), "utf8")));
  expect(versions.sort()).toEqual(pairs.map(({ version }) => version).sort());

  // Every answer leaves the same events, whichever door it came through.
  const logged = JSON.parse(await second.tell("answers")) as readonly Logged[];
  const ids = logged.flatMap(({ data }) => data.input?.id ?? []);
  expect(ids.sort()).toEqual(asked.map(({ id }) => id).sort());
  expect(logged.map(({ type }) => type).sort()).toEqual(ids.flatMap(() => ["admin.completed", "admin.started"]).sort());
  await second.end();
});
