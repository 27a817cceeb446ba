// Builds and packs every package, installs the packs into an empty folder, and uses them there as strangers do: npm run pack:test
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { installOnDemand } from "../install-on-demand.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const checks = fileURLToPath(new URL("checks", import.meta.url));
const consumer = fileURLToPath(new URL("consumer", import.meta.url));
const node22 = join(checks, "node_modules", `node-22-${process.platform}-${process.arch}`, "bin", "node");
const megabyte = 2 ** 20;
/** Bytes that an installation may take: the engine with what it needs, and everything. */
const most = { engine: 12 * megabyte, all: 120 * megabyte };

interface Ran {
  readonly out: string;
  readonly all: string;
}

const work = mkdtempSync(join(tmpdir(), "toolwright-pack-"));
try {
  await installOnDemand(checks);
  await check("build", () => mustRun(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b", "tsconfig.build.json"], root));
  const packs = await packAll();
  // Installing waits for the registry and the disk; the checks of each pack need a processor.
  await Promise.all([checkPacks(packs), installPacks(packs)]);
  const app = layOutApp();
  await check("types of a program, TypeScript 7", () => checkTypes(app, join(root, "node_modules/typescript/bin/tsc")));
  await check("types of a program, TypeScript 5.9", () => checkTypes(app, join(checks, "node_modules/typescript-5/bin/tsc")));
  for (const node of [process.execPath, node22].filter((path) => existsSync(path))) {
    const { out: version } = await runInApp(app, node, ["--version"]);
    await check(`createEngine, Node ${version.trim()}`, () => checkEmbedded(app, node));
    await check(`command line, Node ${version.trim()}`, () => checkCommandLine(app, node));
    await check(`MCP over stdio, Node ${version.trim()}`, () => checkMcp(app, node));
  }
  if (!existsSync(node22))
    console.log(`There is no Node 22 for ${process.platform}-${process.arch} among the checks: it is not tried here.`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function check(name: string, work: () => unknown): Promise<void> {
  try {
    await work();
    console.log(`=== ${name}: passed`);
  } catch (error) {
    console.log(`=== ${name}: FAILED\n${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

function binary(name: "publint" | "attw"): string {
  return join(checks, "node_modules", name === "attw" ? "@arethetypeswrong/cli/dist/index.js" : "publint/src/cli.js");
}

/** The files that would be published, by the folder of their package. */
async function packAll(): Promise<ReadonlyMap<string, string>> {
  const packs = new Map<string, string>();
  for (const manifest of globSync("packages/*/package.json", { cwd: root }).sort()) {
    const folder = join(root, manifest, "..");
    const { out } = await mustRun("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", work], folder);
    const [{ filename }] = JSON.parse(out) as [{ filename: string }];
    packs.set(basename(folder), join(work, filename));
  }
  return packs;
}

async function checkPacks(packs: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, pack] of packs) {
    await check(`files, ${name}`, () => checkFiles(pack));
    await check(`publint, ${name}`, () => mustRun(process.execPath, [binary("publint"), "--strict", pack], work));
    const attw = [binary("attw"), pack, "--profile", "esm-only", "--no-emoji", "--format", "ascii"];
    await check(`types for every importer, ${name}`, () => mustRun(process.execPath, attw, work));
  }
}

async function installPacks(packs: ReadonlyMap<string, string>): Promise<void> {
  await check("engine, installed size", () => checkSize("engine-only", { packs, names: ["commands", "engine"], mostBytes: most.engine }));
  await check("everything, installed size", () => checkSize("app", { packs, names: [...packs.keys()], mostBytes: most.all }));
}

async function checkFiles(pack: string): Promise<void> {
  const { out } = await mustRun("tar", ["tzf", pack], work);
  const files = out.split("\n");
  const missing = ["README.md", "LICENSE", "package.json", "dist/"].filter(
    (name) => !files.some((file) => file.startsWith(`package/${name}`)),
  );
  const strange = files.filter((file) => /\.test\.|tsbuildinfo|\/node_modules\//.test(file));
  if (missing.length + strange.length > 0) throw new Error(`Missing: ${missing.join(", ")}. Not to be published: ${strange.join(", ")}.`);
}

interface Installing {
  readonly packs: ReadonlyMap<string, string>;
  readonly names: readonly string[];
  readonly mostBytes: number;
}

async function checkSize(folder: string, { packs, names, mostBytes }: Installing): Promise<void> {
  const place = join(work, folder);
  mkdirSync(place);
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  const files = names.map((name) => packs.get(name) ?? name);
  await mustRun(
    "npm",
    ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--omit", "optional", ...files],
    place,
  );
  const bytes = globSync("node_modules/**", { cwd: place, exclude: (name) => name === ".bin" })
    .map((path) => statSync(join(place, path)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
  const words = `${(bytes / megabyte).toFixed(1)} MB are installed; the limit is ${mostBytes / megabyte} MB`;
  console.log(words);
  if (bytes > mostBytes) throw new Error(words);
}

function layOutApp(): string {
  const app = join(work, "app");
  cpSync(consumer, app, { recursive: true });
  mkdirSync(join(app, "workspace"));
  for (const name of ["@types/node", "undici-types"])
    cpSync(join(root, "node_modules", name), join(app, "node_modules", name), { recursive: true });
  writeFileSync(join(app, "workspace", "notes.txt"), "three short words");
  const compilerOptions = { target: "es2024", module: "nodenext", strict: true, types: ["node"], outDir: "built" };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["embed.ts"] }));
  return app;
}

async function checkTypes(app: string, compiler: string): Promise<void> {
  await mustRun(process.execPath, [compiler, "-p", app], app);
}

async function checkEmbedded(app: string, node: string): Promise<void> {
  const { out } = await runInApp(app, node, ["built/embed.js"]);
  expectEqual(JSON.parse(out), { words: 3, misnamed: "failed", push: "deny" });
}

async function checkCommandLine(app: string, node: string): Promise<void> {
  const { out, all } = await runInApp(app, node, [program(app), "call", "file_read", "--path", "notes.txt"]);
  if (all.includes("Warning")) throw new Error(`Node warns of something: ${all}`);
  if (!out.includes("three short words")) throw new Error(`The file's text is not in the answer: ${out}`);
}

async function checkMcp(app: string, node: string): Promise<void> {
  const child = spawn(node, [program(app), "mcp"], { cwd: app, env: environmentOf(app), stdio: ["pipe", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The server ended before it answered ${method}.`);
      const message = JSON.parse(value) as { id?: number; result?: unknown; error?: unknown };
      if (message.id === id) return message.result ?? message.error;
    }
  };
  const clientInfo = { name: "pack-test", version: "1" };
  await ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const answer = await ask(2, "tools/call", { name: "file_read", arguments: { path: "notes.txt" } });
  child.stdin.end();
  await gone;
  expectEqual((answer as { structuredContent?: { text?: string } }).structuredContent?.text, "three short words");
}

function program(app: string): string {
  return join(app, "node_modules", "toolwright", "bin", "toolwright.js");
}

function environmentOf(app: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: join(app, "home"),
    TOOLWRIGHT_STATE: join(app, "state"),
    TOOLWRIGHT_WORKSPACE: join(app, "workspace"),
  };
}

function expectEqual(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`Got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}.`);
}

/** Runs in the installed app as its user would: with nothing of this environment but the PATH. */
function runInApp(app: string, node: string, args: readonly string[]): Promise<Ran> {
  return mustRun(node, args, { cwd: app, env: environmentOf(app) });
}

async function mustRun(command: string, args: readonly string[], place: string | { cwd: string; env: NodeJS.ProcessEnv }): Promise<Ran> {
  const options = typeof place === "string" ? { cwd: place } : place;
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const parts = { out: "", all: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    parts.out += chunk;
    parts.all += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    parts.all += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${parts.all}`);
  return parts;
}
