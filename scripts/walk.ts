// Says through how many files of the product one request walks, once it is warm: `npm run walk [-- --list] [-- --json]`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ScriptedAnswer, serveScriptedModel } from "../examples/scripted-model.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Files of the product by their addresses; generated ones are tables. */
const product = new RegExp(`^file://${root}packages/([\\w-]+/src/(?!.*generated/).*)$`);
const warmUps = 3;
/** What a server does by itself may fall into a walk: the shortest of these counts. */
const tries = 5;

interface Started {
  readonly server: ChildProcess;
  readonly inspector: string;
  readonly origin: string;
}

/** A server that runs its sources, with what reads its coverage. */
async function startServer(folder: string, modelUrl: string): Promise<Started> {
  const argv = ["--inspect=127.0.0.1:0", "--import", "data:text/javascript,", join(root, "packages/cli/bin/toolwright.js")];
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, TOOLWRIGHT_STATE: join(folder, "state") },
    ...{ TOOLWRIGHT_MODEL: "openai-compatible/walk", TOOLWRIGHT_MODEL_URL: modelUrl },
  };
  const server = spawn(process.execPath, [...argv, "serve", "--port", "0", "--no-worker"], { cwd: folder, env });
  let said = "";
  const found = new Promise<Started>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk;
      const [, inspector] = /Debugger listening on (ws:\S+)/.exec(said) ?? [];
      const [, origin] = /REST\s+(http:\S+)\/api/.exec(said) ?? [];
      if (inspector && origin) resolve({ server, inspector, origin });
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.once("exit", (code) => reject(new Error(`The server ended with ${code}:\n${said}`)));
  });
  return found;
}

interface FunctionsOfFile {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** Asks V8 by the protocol of its inspector. */
async function openProfiler(address: string) {
  const socket = new WebSocket(address);
  await once(socket, "open");
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let last = 0;
  const ask = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await ask("Profiler.enable");
  await ask("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return {
    /** Files with a function that ran since the last time. */
    async take(): Promise<readonly string[]> {
      const { result } = (await ask("Profiler.takePreciseCoverage")) as { result: readonly FunctionsOfFile[] };
      return result.flatMap(({ url, functions }) => {
        const [, file] = product.exec(url) ?? [];
        return file !== undefined && functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)) ? [file] : [];
      });
    },
    close: () => socket.close(),
  };
}

function* answers(): Generator<ScriptedAnswer> {
  for (;;) {
    yield [{ name: "file_list", input: { path: "." } }];
    yield "Done.";
  }
}

interface Walk {
  readonly name: string;
  readonly files: readonly string[];
}

async function measure(): Promise<readonly Walk[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-walk-"));
  const model = await serveScriptedModel(answers());
  const { server, inspector, origin } = await startServer(folder, model.url);
  const client = new Client({ name: "walk", version: "1" });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
    const tool = async (name: string, args: Record<string, unknown>) => {
      const { isError, content } = await client.callTool({ name, arguments: args });
      if (isError) throw new Error(`${name} failed: ${JSON.stringify(content)}`);
    };
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${origin}/api${path}`, { ...init, headers: { "content-type": "application/json" } });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    };
    await tool("memory_save", { content: "Deploys go out on Tuesdays", key: "deploy-day" });
    const requests: Readonly<Record<string, () => Promise<void>>> = {
      "exec over MCP": () => tool("exec", { command: "true" }),
      "approvals.list over REST": () => ask("/approvals"),
      "memory_search over MCP": () => tool("memory_search", { query: "When do deploys go out?" }),
      "a turn with one call": () => ask("/agents/assistant/turns", { method: "POST", body: JSON.stringify({ message: "What is here?" }) }),
    };
    const profiler = await openProfiler(inspector);
    const walks: Walk[] = [];
    for (const [name, request] of Object.entries(requests)) {
      for (let time = 0; time < warmUps; time += 1) await request();
      let shortest: readonly string[] | undefined;
      for (let time = 0; time < tries; time += 1) {
        await profiler.take();
        await request();
        const files = await profiler.take();
        if (shortest === undefined || files.length < shortest.length) shortest = files;
      }
      walks.push({ name, files: [...(shortest ?? [])].sort() });
    }
    profiler.close();
    return walks;
  } finally {
    await client.close();
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const walks = await measure();
if (process.argv.includes("--json")) console.log(JSON.stringify(walks, undefined, 2));
else
  for (const { name, files } of walks) {
    console.log(`${name.padEnd(28)} ${String(files.length).padStart(4)} files`);
    if (process.argv.includes("--list")) for (const file of files) console.log(`  ${file}`);
  }
