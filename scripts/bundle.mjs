#!/usr/bin/env node
// Joins the sources of the program to few files, which Node reads in a fraction of the time: docs/decisions/2026-11-23-a-bundle-beside-the-sources.md
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { isAbsolute, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleFolder, isFresh, readManifest, stampOf } from "../packages/cli/bin/bundle.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = bundleFolder(root);
/** Third-party code that most commands load, or that the door of a server loads; the rest stays where it is installed. */
const joined = /^(kysely|zod|unbash|yaml|commander|ipaddr\.js|@modelcontextprotocol\/(server|core))$/;
const conditions = ["@toolwright/source", "node", "import", "module-sync", "default"];
const server = join(root, "packages", "server", "src");
const cli = join(root, "packages", "cli", "src");
const main = join(cli, "main.ts");
/** Characters. A command beside a server loads less than that, and nothing of what is larger. */
const muchCode = 1_000_000;
/** Of the modules that are imported late and load more than that: those that most commands without a server begin with. */
const heavyStarts = new Set([
  ...["with-toolwright.ts", "with-operations.ts", "as-person.ts"].map((file) => join(cli, "commands", "context", file)),
  join(cli, "commands", "hooks", "decide-here.ts"),
  join(server, "compose-on.ts"),
  join(root, "packages", "engine", "src", "operations", "approvals.ts"),
]);
/** Stands for the digests of the built-in tools until all is joined. */
const toolCode = "digests of built-in tools";
const placeOfToolCode = new RegExp(`(["'\`])${toolCode}\\1`, "g");
/** A running server may still load parts of the bundle that it began with. */
const keptBuilds = 5;

async function build() {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, "lock");
  if (isFresh(root, readManifest(root)) || !takeLock(lock)) return;
  // Left behind by a failure: a command that finds no bundle must not try again each time.
  await write();
  rmSync(lock, { recursive: true, force: true });
}

/** One process builds at a time; what one left that was killed or failed is taken over after two minutes. */
function takeLock(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - since < 120_000) return false;
    rmSync(lock, { recursive: true, force: true });
    return takeLock(lock);
  }
}

async function write() {
  const { rolldown } = await import("rolldown");
  // Of each file before it is read: what changes meanwhile makes the bundle stale.
  const installed = join(root, "node_modules", ".package-lock.json");
  const stamps = new Map([installed, fileURLToPath(import.meta.url)].map((path) => [path, stampOf(path)]));
  const entries = entriesOf();
  const parts = shareFiles();
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map(({ name, path }) => [name, path])),
    platform: "node",
    resolve: { conditionNames: conditions },
    plugins: [place(stamps), parts],
    onLog() {},
  });
  const name = `${Date.now()}-${process.pid}`;
  const chunkFileNames = "[name]-[hash].js";
  const { output } = await bundle.generate({
    ...{ format: "esm", chunkFileNames, entryFileNames: "[name].js", comments: false, minify: { compress: false, mangle: false } },
    codeSplitting: { groups: [{ name: parts.nameOf }], includeDependenciesRecursively: false },
  });
  await bundle.close();
  mkdirSync(join(folder, name));
  const digests = JSON.stringify(await digestTools());
  for (const { fileName, code } of output)
    writeFileSync(join(folder, name, fileName), toAscii(code.replaceAll(placeOfToolCode, () => digests)));
  const files = new Map(output.flatMap((chunk) => (chunk.isEntry && chunk.facadeModuleId ? [[chunk.facadeModuleId, chunk.fileName]] : [])));
  const modules = entries.map(({ path, isOurs }) => [pathToFileURL(path).href, `${name}/${files.get(path)}`, isOurs]);
  const sources = [...stamps].map(([path, stamp]) => [relative(root, path), stamp]);
  writeFileSync(join(folder, name, "package.json"), JSON.stringify({ type: "module" }));
  const manifest = join(folder, `${name}.json`);
  writeFileSync(manifest, JSON.stringify({ root, node: process.versions.node, sources, modules }));
  renameSync(manifest, join(folder, "manifest.json"));
  const builds = readdirSync(folder).filter((each) => /^\d+-\d+$/.test(each));
  for (const old of builds.sort().slice(0, -keptBuilds)) rmSync(join(folder, old), { recursive: true, force: true });
}

/**
 * Each file takes a command some time, and so does what it has no use for: modules that the same of the starts need share a file. Of other modules, rolldown
 * decides.
 */
function shareFiles() {
  const names = new Map();
  return {
    name: "toolwright-share",
    nameOf: (id) => names.get(id) ?? null,
    buildEnd() {
      const modules = new Map([...this.getModuleIds()].map((id) => [id, this.getModuleInfo(id)]));
      const late = [...modules.values()].flatMap(({ dynamicallyImportedIds }) => dynamicallyImportedIds);
      const needs = new Map();
      const [gone] = [...heavyStarts].filter((id) => !late.includes(id));
      if (gone) throw new Error(`Nothing imports ${relative(root, gone)} late any more: take it out of heavyStarts in scripts/bundle.mjs.`);
      for (const start of new Set(late.filter((id) => modules.has(id)))) {
        const needed = reach(start, modules);
        const size = needed.reduce((sum, { code }) => sum + (code?.length ?? 0), 0);
        if (size < muchCode || heavyStarts.has(start)) for (const { id } of needed) needs.set(id, `${needs.get(id) ?? ""} ${start}`);
      }
      for (const { id } of reach(main, modules)) needs.set(id, main);
      const numbers = new Map([...new Set(needs.values())].map((starts, index) => [starts, index]));
      for (const [id, starts] of needs) names.set(id, `part-${numbers.get(starts)}`);
    },
  };
}

/** The module and all that it imports before it runs. */
function reach(start, modules) {
  const reached = new Set([start]);
  for (const id of reached) for (const next of modules.get(id).importedIds) if (modules.has(next)) reached.add(next);
  return [...reached].map((id) => modules.get(id));
}

/** What is imported by name from outside of the bundle must be the same module there. */
function entriesOf() {
  const folders = readdirSync(join(root, "packages")).map((each) => join(root, "packages", each));
  const ours = folders.flatMap((each) => exportsOf(each, "@toolwright/source"));
  const theirs = ["kysely", "zod", "yaml", "@modelcontextprotocol/server"].flatMap((each) =>
    exportsOf(join(root, "node_modules", each), "import", [".", "./v4", "./v4/core", "./mini"]),
  );
  const paths = [...new Map([...ours, ...theirs].map((entry) => [entry.path, entry])).values()];
  return [{ name: "main", path: main, isOurs: true }, ...paths].map((entry, index) => ({ ...entry, name: entry.name ?? `entry-${index}` }));
}

function exportsOf(directory, condition, only) {
  const { exports: listed = {} } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const isOurs = only === undefined;
  return Object.entries(listed).flatMap(([subpath, targets]) => {
    let target = typeof targets === "string" ? targets : (targets?.[condition] ?? targets?.node ?? targets?.default);
    while (typeof target === "object") target = target.default;
    if (typeof target !== "string" || target.includes("*") || (only && !only.includes(subpath)) || subpath.endsWith("/testing")) return [];
    return [{ path: join(directory, target), isOurs: isOurs || /^(?:.*[/\\])?zod$/.test(directory) }];
  });
}

/** Node keeps the text of what it runs: one letter that is not ASCII lets all of it take twice the room. No raw template has such letters. */
function toAscii(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * An approval is bound to the text of a tool, which a bundle writes otherwise: here it has the digests of the sources. They are read after what makes
 * the bundle stale was noted.
 */
async function digestTools() {
  registerHooks({
    resolve: (specifier, context, next) => next(specifier, { ...context, conditions: ["@toolwright/source", ...context.conditions] }),
  });
  const load = (path) => import(pathToFileURL(path).href);
  const { builtInTools, agentTool, anyAgent } = await load(join(server, "built-in-tools.ts"));
  const { codeDigest } = await load(join(root, "packages", "engine", "src", "entries", "catalogue.ts"));
  return {
    ...Object.fromEntries(builtInTools.map((tool) => [tool.name, codeDigest(tool)])),
    [anyAgent]: codeDigest(agentTool(anyAgent)),
  };
}

function outside(path) {
  return { id: pathToFileURL(path).href, external: "absolute" };
}

/** Keeps files that stay outside where they are, and tells the sources where they stand: they look for files beside them. */
function place(stamps) {
  return {
    name: "toolwright-place",
    async resolveId(specifier, importer, options) {
      if (specifier.startsWith("node:") || specifier.startsWith("\0")) return undefined;
      const resolved = await this.resolve(specifier, importer, { ...options, skipSelf: true });
      if (!resolved || resolved.external) return resolved;
      if (!resolved.id.includes("node_modules")) {
        if (isAbsolute(resolved.id) && !stamps.has(resolved.id)) stamps.set(resolved.id, stampOf(resolved.id));
        return resolved;
      }
      const [, name = ""] = /.*node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(resolved.id) ?? [];
      return joined.test(name.replaceAll("\\", "/")) ? resolved : outside(resolved.id);
    },
    load(id) {
      return id === join(server, "tool-code.ts") ? `export const toolCode = ${JSON.stringify(toolCode)};` : undefined;
    },
    transform(code, id) {
      return code.includes("import.meta.url") ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)) : undefined;
    },
  };
}

await build();
