// Says what each page of the built console loads before it is usable, in kB of gzip, and fails above its budget: npm run size
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../packages/server/console", import.meta.url));
const read = <Value>(path: string) => JSON.parse(readFileSync(path, "utf8")) as Value;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const manifest = read<Readonly<Record<string, Chunk>>>(join(folder, "manifest.json"));
const routes = read<Readonly<Record<string, string>>>(fileURLToPath(new URL("routes.json", import.meta.url)));
const { files } = read<{ readonly files: Readonly<Record<string, { readonly size: number; readonly gzip?: number }>> }>(
  join(folder, "build.json"),
);

/** kB of JavaScript that a page may load first; the others may load as much as `usual`. */
const pageBudgets: Readonly<Record<string, number>> = { "/tools": 170, "/chat": 165 };
const usual = 180;
/** kB of styles that a page may load first. */
const styleBudget = 25;
/** What loads after a page is usable, by the module that is imported then. */
const laterBudgets: Readonly<Record<string, number>> = {
  "src/editor/code-editor.tsx": 140,
  "src/pages/policy/policy-desk.tsx": 60,
  "src/result/charts.tsx": 105,
  "src/result/radar-chart.tsx": 105,
};

/** A page together with what it loads at once afterwards. */
const wholes = [
  { path: "/tools/$name", its: "form", module: "src/pages/tool/tool-desk.tsx", budget: 250 },
  { path: "/chat", its: "turns", module: "src/pages/chat/turn-view.tsx", budget: 190 },
] as const;

/** kB of the file that MCP clients show results with, as it goes over the wire. */
const viewAppBudget = 60;

const entry = filesOf("index.html");
const lines = [
  ...Object.entries(routes).map(([path, page]) =>
    judge(path, scriptsIn(new Set([...entry, ...filesOf(page)])), pageBudgets[path] ?? usual),
  ),
  ...wholes.map(({ path, its, module, budget }) =>
    judge(`${path} with its ${its}`, scriptsIn(new Set([...entry, ...filesOf(routes[path] ?? ""), ...filesOf(module)])), budget),
  ),
  ...Object.entries(laterBudgets).map(([module, budget]) => judge(module, scriptsIn(withoutEntry(filesOf(module))), budget)),
  judge(
    "styles of a page",
    Math.max(...Object.values(routes).map((page) => kilobytes([...new Set([...stylesOf("index.html"), ...stylesOf(page)])]))),
    styleBudget,
  ),
  judge("view-app.html", statSync(join(folder, "view-app.html")).size / 1000, viewAppBudget),
];
for (const { name, size, budget, fits } of lines)
  process.stdout.write(`${fits ? "fits    " : "TOO BIG "} ${name.padEnd(14)} ${size.toFixed(1).padStart(6)} of ${budget} kB\n`);
process.exitCode = lines.every(({ fits }) => fits) ? 0 : 1;

function filesOf(name: string, found = new Set<string>()): ReadonlySet<string> {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`The build has no module ${name}. Change its name in web/size.ts, too.`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const each of chunk.imports ?? []) filesOf(each, found);
  return found;
}

/** Styles that are there before the page is shown. */
function stylesOf(name: string): readonly string[] {
  const loaded = filesOf(name);
  const chunks = Object.values(manifest).filter(({ file }) => loaded.has(file));
  return [...new Set(chunks.flatMap(({ css = [] }) => css))].map((file) => `/${file}`);
}

function withoutEntry(loaded: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...loaded].filter((file) => !entry.has(file)));
}

function scriptsIn(loaded: ReadonlySet<string>): number {
  return kilobytes([...loaded].filter((file) => file.endsWith(".js")).map((file) => `/${file}`));
}

function kilobytes(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (files[name]?.gzip ?? files[name]?.size ?? 0), 0) / 1000;
}

function judge(name: string, size: number, budget: number) {
  return { name, size, budget, fits: size <= budget };
}
