// Rehearses a release, installs its packs into an empty folder, and uses them there as strangers do: npm run pack:test
// With `--packs FOLDER` checks those that a release has made. `--short` leaves out the older Node, the older TypeScript and how each pack's types are
// found: what `npm test` has time for.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Pack, readPacks } from "../../scripts/release/packs.ts";
import { type Ran, runCommand } from "../../scripts/release/run-command.ts";
import { installOnDemand } from "../install-on-demand.ts";
import { openRegistry } from "./open-registry.ts";
import { refuseRelease, rehearseRelease } from "./rehearse-release.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const checks = fileURLToPath(new URL("checks", import.meta.url));
const consumer = fileURLToPath(new URL("consumer", import.meta.url));
const node22 = join(checks, "node_modules", `node-22-${process.platform}-${process.arch}`, "bin", "node");
const megabyte = 2 ** 20;
/** Bytes that an installation may take: the engine with what it needs, and everything. */
const most = { engine: 13 * megabyte, all: 200 * megabyte };

/** How npm installs here. Optional dependencies are left out. */
const quietly = [
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
  "--ignore-scripts",
  "--omit",
  "optional",
  "--replace-registry-host",
  "never",
];
const { values } = parseArgs({ options: { packs: { type: "string" }, short: { type: "boolean", default: false } } });
const work = mkdtempSync(join(tmpdir(), "toolwright-pack-"));
try {
  await installOnDemand(checks);
  const release = values.packs ?? join(work, "release");
  if (values.packs === undefined) {
    await check("release, rehearsed", () => rehearseRelease(root, release));
    await check("release, refused", () => refuseRelease(root, join(work, "refused")));
  }
  const packs = readPacks(release);
  const nodes = await findNodes();
  // Installing waits for the registry and the disk; the checks of each pack need a processor.
  const [apps] = await Promise.all([installPacks(packs, nodes), checkPacks(packs)]);
  const app = layOutApp(apps[0] ?? work);
  await check("types of a program, TypeScript 7", () => checkTypes(app, join(root, "node_modules/typescript/bin/tsc")));
  if (!values.short)
    await check("types of a program, TypeScript 5.9", () => checkTypes(app, join(checks, "node_modules/typescript-5/bin/tsc")));
  for (const { path, version } of nodes) {
    await check(`createEngine, Node ${version}`, () => checkEmbedded(app, path));
    await check(`command line, Node ${version}`, () => checkCommandLine(app, path));
    await check(`MCP over stdio, Node ${version}`, () => checkMcp(app, path));
  }
  if (values.short) console.log("Left out: Node 22, TypeScript 5.9 and attw. Run the whole: npm run pack:test");
  else if (nodes.length < 2)
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

async function checkPacks(packs: readonly Pack[]): Promise<void> {
  for (const { name, file } of packs) {
    await check(`files, ${name}`, () => checkFiles(file));
    await check(`publint, ${name}`, () => runCommand(process.execPath, [binary("publint"), "--strict", file], { cwd: work }));
    if (values.short) continue;
    const attw = [binary("attw"), file, "--profile", "esm-only", "--no-emoji", "--format", "ascii"];
    await check(`types for every importer, ${name}`, () => runCommand(process.execPath, attw, { cwd: work }));
  }
}

interface TriedNode {
  readonly path: string;
  readonly version: string;
}

async function findNodes(): Promise<TriedNode[]> {
  const paths = [process.execPath, ...(values.short ? [] : [node22])].filter((path) => existsSync(path));
  return Promise.all(paths.map(async (path) => ({ path, version: (await runCommand(path, ["--version"], { cwd: work })).out.trim() })));
}

/** The folders where `npx` installed everything, by each Node. */
async function installPacks(packs: readonly Pack[], nodes: readonly TriedNode[]): Promise<string[]> {
  await using registry = await openRegistry(packs, root);
  const install = [...quietly, "--registry", registry.url];
  await check("engine, installed size", () => checkEngineSize(install));
  const released = packs.find(({ name }) => name === "toolwright")?.version;
  const apps: string[] = [];
  for (const node of nodes)
    await check(`npx in an empty folder, Node ${node.version}`, async () => apps.push(await runByNpx(node, install, released)));
  if (apps[0] !== undefined) await check("everything, installed size", () => checkSize(apps[0] as string, most.all));
  return apps;
}

async function checkFiles(pack: string): Promise<void> {
  const { out } = await runCommand("tar", ["tzf", pack], { cwd: work });
  const files = out.split("\n");
  const pages = /toolwright-server-[\d.]+/.test(pack) ? ["console/build.json", "console/index.html", "console/assets/"] : [];
  const missing = ["README.md", "LICENSE", "package.json", "dist/", ...pages].filter(
    (name) => !files.some((file) => file.startsWith(`package/${name}`)),
  );
  const strange = files.filter((file) => /\.test\.|tsbuildinfo|\/node_modules\//.test(file));
  if (missing.length + strange.length > 0) throw new Error(`Missing: ${missing.join(", ")}. Not to be published: ${strange.join(", ")}.`);
}

async function checkEngineSize(install: readonly string[]): Promise<void> {
  const cwd = join(work, "engine-only");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "app", private: true }));
  await runCommand("npm", ["install", ...install, "@toolwright/engine"], { cwd });
  checkSize(cwd, most.engine);
}

function checkSize(app: string, mostBytes: number): void {
  const bytes = globSync("node_modules/**", { cwd: app, exclude: (name) => name === ".bin" })
    .map((path) => statSync(join(app, path)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
  const words = `${(bytes / megabyte).toFixed(1)} MB are installed; the limit is ${mostBytes / megabyte} MB`;
  console.log(words);
  if (bytes > mostBytes) throw new Error(words);
}

/** Does what `npx toolwright` does, and returns the folder that npm installed it in. */
async function runByNpx({ path, version }: TriedNode, install: readonly string[], released: string | undefined): Promise<string> {
  const empty = join(work, `empty-${version}`);
  const cache = join(work, `npm-cache-${version}`);
  for (const folder of [empty, cache]) mkdirSync(folder);
  const { out: shared } = await runCommand("npm", ["config", "get", "cache"], { cwd: work });
  symlinkSync(join(shared.trim(), "_cacache"), join(cache, "_cacache"));
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const env = { ...inherited, PATH: `${dirname(path)}${delimiter}${process.env.PATH}`, HOME: empty, npm_config_cache: cache };
  const { out } = await runCommand("npm", ["exec", "--yes", ...install, "--", "toolwright", "--version"], { cwd: empty, env });
  expectEqual(out.trim(), released);
  return join(cache, "_npx", globSync("*", { cwd: join(cache, "_npx") })[0] ?? "");
}

function layOutApp(app: string): string {
  cpSync(consumer, app, { recursive: true });
  mkdirSync(join(app, "workspace"));
  for (const name of ["@types/node", "undici-types"])
    cpSync(join(root, "node_modules", name), join(app, "node_modules", name), { recursive: true });
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  writeFileSync(join(app, "workspace", "notes.txt"), "three short words");
  const compilerOptions = { target: "es2024", module: "nodenext", strict: true, types: ["node"], outDir: "built" };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["embed.ts"] }));
  return app;
}

async function checkTypes(app: string, compiler: string): Promise<void> {
  await runCommand(process.execPath, [compiler, "-p", app], { cwd: app });
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
  return runCommand(node, args, { cwd: app, env: environmentOf(app) });
}
