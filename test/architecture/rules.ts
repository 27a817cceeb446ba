import { posix } from "node:path";
import { importsOf, isTestFile, type SourceFile, withoutComments } from "./source-files.ts";

/** A rule names itself and finds what breaks it; a finding is one sentence. */
export interface Rule {
  readonly name: string;
  find(file: SourceFile, packages: Packages): readonly string[];
}

/** Declared dependencies of each folder under `packages`, by folder name. */
export type Packages = ReadonlyMap<string, ReadonlySet<string>>;

const scoped = "@toolwright/";

/** Who may import whom. `server` composes all below it; `toolwright` (the CLI) is a terminal to that: nobody imports it. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  commands: [],
  engine: ["commands"],
  sandbox: ["commands", "engine"],
  tools: ["engine"],
  doors: ["engine"],
  postgres: ["commands", "engine"],
  "sign-in": ["engine"],
  agents: ["engine"],
  embeddings: ["engine"],
  browser: ["engine"],
  server: ["commands", "engine", "sandbox", "tools", "doors", "postgres", "sign-in", "agents", "browser"],
  cli: ["engine", "sandbox", "tools", "doors", "postgres", "embeddings", "server", "agents", "browser"],
};

/** Inside the engine, low to high: a layer imports itself, what stands on its line, and the lines before. */
const engineLayers = [
  ["contract"],
  ["ports"],
  ["tool"],
  ["schema"],
  ["policy"],
  ["catalogue"],
  ["gate", "operations", "scope-types.ts", "engine-types.ts"],
  ["memory"],
  ["scope.ts", "check-calls.ts", "tell-embedder.ts"],
  ["engine.ts"],
  ["index.ts", "entries"],
  ["testing"],
];

/** Inside `commands`, low to high, by the same rule. */
const commandLayers = [
  ["finding.ts"],
  ["targets"],
  ["words"],
  ["read"],
  ["programs"],
  ["rules"],
  ["judge"],
  ["reach"],
  ["git"],
  ["index.ts"],
];

const engineMayImport = ["zod", "@toolwright/commands", "@toolwright/commands/targets", "node:crypto"];

const partOf = (path: string) => path.split("/")[3] as string;
const packageOf = (path: string) => /^packages\/([^/]+)\//.exec(path)?.[1];
const nameOf = (specifier: string) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
const folderOf = (specifier: string) => (nameOf(specifier) === "toolwright" ? "cli" : nameOf(specifier).slice(scoped.length));
const isOurs = (specifier: string) => specifier.startsWith(scoped) || nameOf(specifier) === "toolwright";
const isRelative = (specifier: string) => specifier.startsWith(".");
const resolveFrom = (path: string, specifier: string) => posix.join(posix.dirname(path), specifier);

function eachImport(find: (file: SourceFile, specifier: string, packages: Packages) => string | undefined): Rule["find"] {
  return (file, packages) => importsOf(file.text).flatMap((specifier) => find(file, specifier, packages) ?? []);
}

function eachLine(pattern: RegExp, applies: (path: string) => boolean): Rule["find"] {
  return (file) => {
    if (!applies(file.path)) return [];
    const lines = withoutComments(file.text).split("\n");
    return lines.flatMap((line, index) => (pattern.test(line) ? [`line ${index + 1}: ${line.trim()}`] : []));
  };
}

function layersRule(name: string, inPackage: string, layers: readonly (readonly string[])[]): Rule {
  const layerOf = (path: string) => layers.findIndex((line) => line.includes(partOf(path)));
  return {
    name,
    find: eachImport(({ path }, specifier) => {
      if (packageOf(path) !== inPackage || isTestFile(path) || !isRelative(specifier)) return undefined;
      const target = resolveFrom(path, specifier);
      const [from, to] = [layerOf(path), layerOf(target)];
      if (from < 0 || to < 0) return `has a layer that the table does not name: ${from < 0 ? path : specifier}`;
      return to <= from ? undefined : `"${partOf(path)}" imports "${partOf(target)}"`;
    }),
  };
}

/** A program of its own, which another part starts: it ends itself. */
const isProcessEntry = (path: string) => path.endsWith("-main.ts");
/** Sign-in brings its own library, with queries of its own: it alone is handed the database, here. */
const composesSignIn = "packages/server/src/serve/auth/open-auth.ts";
/** Says how the capabilities weigh whose contracts the engine has. */
const weighsOwnContracts = "packages/engine/src/tool/effects.ts";
const theClock = "packages/engine/src/ports/clock.ts";
const isProduct = (path: string) => path.startsWith("packages/") && !isTestFile(path) && !path.includes("/testing/");

/** Beginnings that need the docstring before them, or the name below. */
const leaning = /^\s*\/?\*\*? (?:Of |Likewise\b|The same(?:,|\.| for| of| with| in| as| without| before| after| now| also)\b)/;

export const rules: readonly Rule[] = [
  {
    name: "packages import only those below them",
    find: eachImport(({ path }, specifier) => {
      const from = packageOf(path);
      if (!from || !isOurs(specifier)) return undefined;
      const to = folderOf(specifier);
      return from === to || mayImport[from]?.includes(to) ? undefined : `"${from}" imports "${to}"`;
    }),
  },
  {
    name: "a relative import stays in its package",
    find: eachImport(({ path }, specifier) => {
      const from = packageOf(path);
      if (!from || !isRelative(specifier)) return undefined;
      return from === packageOf(resolveFrom(path, specifier)) ? undefined : `reaches into "${specifier}"; import the package by its name`;
    }),
  },
  {
    name: "packages are imported through their exports",
    find: eachImport((_, specifier) => (isOurs(specifier) && /\/(src|dist)(\/|$)/.test(specifier) ? `imports "${specifier}"` : undefined)),
  },
  {
    name: "the engine imports nothing but zod, commands and node:crypto",
    find: eachImport(({ path }, specifier) => {
      if (packageOf(path) !== "engine" || isTestFile(path) || isRelative(specifier)) return undefined;
      if (path.includes("/testing/") && specifier === "node:assert/strict") return undefined;
      return engineMayImport.includes(specifier) ? undefined : `imports "${specifier}"`;
    }),
  },
  {
    name: "commands import nothing but unbash",
    find: eachImport(({ path }, specifier) => {
      if (packageOf(path) !== "commands" || isTestFile(path) || isRelative(specifier)) return undefined;
      return specifier === "unbash" ? undefined : `imports "${specifier}"`;
    }),
  },
  layersRule("the layers of the engine import only lower ones", "engine", engineLayers),
  layersRule("the layers of commands import only lower ones", "commands", commandLayers),
  {
    name: "each export is named",
    find: eachLine(/^export \*/, (path) => path.startsWith("packages/")),
  },
  {
    name: "what a package imports, its package.json declares",
    find: eachImport(({ path }, specifier, packages) => {
      const from = packageOf(path);
      if (!from || isTestFile(path) || isRelative(specifier) || specifier.startsWith("node:")) return undefined;
      const self = from === "cli" ? "toolwright" : `${scoped}${from}`;
      const name = nameOf(specifier);
      return name === self || packages.get(from)?.has(name)
        ? undefined
        : `imports "${name}", which packages/${from}/package.json does not list`;
    }),
  },
  {
    name: "built-in modules are imported with node:",
    find: eachImport((_, specifier) =>
      /^(fs|path|child_process|crypto|os|url|net|http|https|module|stream|util|events)(\/|$)/.test(specifier)
        ? `imports "${specifier}"`
        : undefined,
    ),
  },
  {
    name: "relative imports end in .ts",
    find: eachImport(({ path }, specifier) =>
      isRelative(specifier) && path.endsWith(".ts") && !/\.(ts|json|js)$/.test(specifier) ? `imports "${specifier}"` : undefined,
    ),
  },
  {
    name: "process.env, process.exit and console belong to the CLI",
    find: eachLine(
      /\bprocess\.(env\b|exit\(|exitCode\b)|\bconsole\.\w+\(/,
      (path) => isProduct(path) && packageOf(path) !== "cli" && !isProcessEntry(path),
    ),
  },
  {
    name: "no door, route or command is handed a database",
    find: eachLine(
      /\bDatabase\b|\bKysely\b|\bopenDatabase\b|\.database\b|[{,] database\s*[,}:=]|^\s*(readonly )?database\??[,:]/,
      (path) => isProduct(path) && ["doors", "server", "cli"].includes(packageOf(path) ?? "") && path !== composesSignIn,
    ),
  },
  {
    name: "commands read and answer approvals through a scope, which says what a person may see",
    find: eachLine(
      /\bapprovals\.(get|list|answer|claim|create)\(|\{[^}]*\bapprovals\b[^}]*\}(: Toolwright\b| = (await )?toolwright\b)/,
      (path) => isProduct(path) && packageOf(path) === "cli",
    ),
  },
  {
    name: "no shell is built from text outside the drivers (R-EX-12)",
    find: eachLine(
      /\bshell:\s*true\b|\b(exec|execSync)\(\s*[`"']|import\s*\{[^}]*\bexec(Sync)?\b[^}]*\}\s*from\s*"node:child_process"/,
      isProduct,
    ),
  },
  {
    name: "shared code does not ask for the name of a tool, runtime, driver or door (law 2)",
    find: eachLine(
      /\b(tool|runtime|driver|door|provider)(\.name)?\s*[!=]==\s*["']/,
      (path) => isProduct(path) && /\/(gate|catalogue|policy|mcp)\//.test(path),
    ),
  },
  {
    name: "shared code reads what effects come to, not which capability they are of (law 2)",
    find: eachLine(
      /\beffects\??\.(files|exec|http|git|client)\b|\beffects\[["'`]|\bexec\s*[!=]==\s*["']/,
      (path) => isProduct(path) && packageOf(path) === "engine" && path !== weighsOwnContracts,
    ),
  },
  {
    name: "shared code does not ask what started a call: reports show it (law 2)",
    find: eachLine(/\bsource\s*[!=]==\s*["']/, (path) => isProduct(path) && /^packages\/(engine|doors)\//.test(path)),
  },
  {
    name: "nothing is registered by an import: what a unit says of itself is handed over with it",
    find: eachLine(/^(declare(?!Events)|register)[A-Z]\w*\(/, isProduct),
  },
  {
    name: "engine, jobs, catalogue and signs of life wait by the clock port (law 7)",
    find: eachLine(
      /\b(setTimeout|setInterval)\b|\bsetImmediate\(/,
      (path) =>
        isProduct(path) &&
        /^packages\/(engine\/|postgres\/src\/(jobs|catalogue|recovery)\/)/.test(path) &&
        path !== theClock &&
        !path.endsWith("-workbench.ts"),
    ),
  },
  {
    name: "a docstring stands alone: it begins with what the thing is, and leans on no neighbour",
    find: ({ path, text }) =>
      path.startsWith("packages/")
        ? text.split("\n").flatMap((line, at) => (leaning.test(line) ? [`line ${at + 1}: ${line.trim()}`] : []))
        : [],
  },
  {
    name: "only tools and configuration have default exports",
    find: eachLine(
      /^\s*export default\b/,
      (path) => isProduct(path) && !/^packages\/(tools\/|agents\/src\/(\w+\/)?tools\/)|\.tool\./.test(path),
    ),
  },
];
