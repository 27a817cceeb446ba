import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Packages, type Rule, rules } from "./architecture/rules.ts";
import { importsOf, readSourceFiles, root } from "./architecture/source-files.ts";

const files = readSourceFiles();
const packages: Packages = new Map(
  readdirSync(join(root, "packages")).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Record<
      string,
      Record<string, string>
    >;
    return [folder, new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies }))];
  }),
);

test("the walk finds the files of every package", () => {
  for (const folder of packages.keys())
    expect(files.filter(({ path }) => path.startsWith(`packages/${folder}/`)).length, folder).toBeGreaterThan(0);
});

describe.each(rules)("$name", (rule) => {
  test("holds for every file", () => {
    expect(files.flatMap((file) => rule.find(file, packages).map((finding) => `${file.path}: ${finding}`))).toEqual([]);
  });

  test.each(planted[rule.name] ?? [["", ""]])("a planted violation is found in %s", (path, text) => {
    expect(findIn(rule, path, text)).not.toEqual([]);
  });
});

/** Files for each rule that break it, and no other reason to fail. */
const planted: Readonly<Record<string, readonly (readonly [path: string, text: string])[]>> = {
  "packages import only those below them": [
    ["packages/tools/src/a.ts", 'import { createBwrapDriver } from "@toolwright/sandbox";'],
    ["packages/doors/src/a.ts", 'import { composeToolwright } from "@toolwright/server";'],
    ["packages/server/src/a.ts", 'import { runProgram } from "toolwright";'],
    ["packages/sign-in/src/a.ts", 'import { openStore } from "@toolwright/postgres";'],
    ["packages/postgres/src/a.ts", 'import type { SignIn } from "@toolwright/sign-in";'],
  ],
  "a relative import stays in its package": [["packages/tools/src/a.ts", 'export * from "../../engine/src/index.ts";']],
  "packages are imported through their exports": [
    ["packages/cli/src/a.ts", 'import type { Json } from "@toolwright/engine/src/contract/json.ts";'],
  ],
  "commands import nothing but unbash": [["packages/commands/src/judge/a.ts", 'import { createHash } from "node:crypto";']],
  "the layers of commands import only lower ones": [
    ["packages/commands/src/words/a.ts", 'import { readLine } from "../read/read-line.ts";'],
  ],
  "the engine imports nothing but zod, commands and node:crypto": [
    ["packages/engine/src/gate/a.ts", 'import { readFile } from "node:fs/promises";'],
  ],
  "the layers of the engine import only lower ones": [
    ["packages/engine/src/contract/a.ts", 'import type { Effects } from "../tool/effects.ts";'],
  ],
  "each export is named": [["packages/engine/src/index.ts", 'export * from "./tool/result.ts";']],
  "what a package imports, its package.json declares": [
    ["packages/sandbox/src/a.ts", 'import { z } from "zod";'],
    ["packages/sign-in/src/a.ts", 'import { Pool } from "pg";'],
    ["packages/postgres/src/a.ts", 'import { betterAuth } from "better-auth";'],
  ],
  "built-in modules are imported with node:": [["packages/sandbox/src/a.ts", 'import { readFile } from "fs/promises";']],
  "relative imports end in .ts": [["packages/engine/src/gate/a.ts", 'import { b } from "./b";']],
  "process.env, process.exit and console belong to the CLI": [
    ["packages/sandbox/src/a.ts", "const home = process.env.HOME;"],
    ["packages/server/src/a.ts", 'console.error("ready");'],
    ["packages/server/src/b.ts", "process.exit(1);"],
  ],
  "no door, route or command is handed a database": [
    ["packages/doors/src/a.ts", 'import type { Kysely } from "kysely";'],
    ["packages/server/src/serve/a.ts", 'import type { Database } from "@toolwright/postgres";'],
    ["packages/server/src/compose.ts", "const runs = await listRuns(store.database, {});"],
    ["packages/cli/src/commands/log/a.ts", "return withStore(io, options, ({ database }) => listRuns(database, {}));"],
    ["packages/cli/src/commands/log/b.ts", "  const {\n    database,\n  } = store;"],
  ],
  "commands read and answer approvals through a scope, which says what a person may see": [
    ["packages/cli/src/commands/a.ts", "const stored = await toolwright.approvals.get(tenant, id);"],
    ["packages/cli/src/commands/b.ts", "export function find({ approvals }: Toolwright) {"],
  ],
  "no shell is built from text outside the drivers (R-EX-12)": [["packages/tools/src/a.ts", "spawn(command, { shell: true });"]],
  "shared code does not ask for the name of a tool, runtime, driver or door (law 2)": [
    ["packages/engine/src/gate/a.ts", 'if (tool.name === "exec") run();'],
  ],
  "shared code reads what effects come to, not which capability they are of (law 2)": [
    ["packages/engine/src/policy/a.ts", 'const runs = tool.effects.exec === "run";'],
    ["packages/engine/src/gate/a.ts", 'if (exec === "run") runIt();'],
    ["packages/engine/src/catalogue/a.ts", "const clones = effects.git !== undefined;"],
  ],
  "shared code does not ask what started a call: reports show it (law 2)": [
    ["packages/engine/src/gate/a.ts", 'if (principal.source === "api") record();'],
  ],
  "nothing is registered by an import: what a unit says of itself is handed over with it": [
    ["packages/doors/src/mcp/a.ts", 'declareEffectWeight("client", () => nothing);'],
  ],
  "engine, jobs, catalogue and signs of life wait by the clock port (law 7)": [
    ["packages/postgres/src/jobs/worker/a.ts", "const timer = setInterval(look, lookMs);"],
    ["packages/postgres/src/recovery/a.ts", "setTimeout(look, beatMs).unref();"],
    ["packages/postgres/src/catalogue/a.ts", "settling = setTimeout(sync, settleMs);"],
    ["packages/postgres/src/jobs/a.ts", 'import { setTimeout as wait } from "node:timers/promises";'],
    ["packages/engine/src/gate/a.ts", "setImmediate(flush);"],
  ],
  "a docstring stands alone: it begins with what the thing is, and leans on no neighbour": [
    ["packages/engine/src/gate/a.ts", "/** Of the turn. */"],
    ["packages/engine/src/gate/a.ts", "/** The same for cells of a notebook. */"],
    ["packages/engine/src/gate/a.ts", "/** Likewise. */"],
  ],
  "only tools and configuration have default exports": [["packages/engine/src/gate/a.ts", "export default function gate() {}"]],
};

function findIn(rule: Rule, path: string, text: string): readonly string[] {
  return rule.find({ path, text }, packages);
}

test.each([
  ["a static import", 'import { a } from "x";', ["x"]],
  ["an import over several lines", 'import {\n  a,\n  b,\n} from "x";', ["x"]],
  ["an import of types", 'import type { A } from "x";', ["x"]],
  ["an import for its effects", 'import "x";', ["x"]],
  ["a re-export", 'export { a } from "x";\nexport * from "y";', ["x", "y"]],
  ["a dynamic import", 'const a = await import("x");', ["x"]],
  ["an import in a type", 'let a: import("x").A;', ["x"]],
  ["a commented import", '// import "x";\n/* import "y"; */', []],
  ["an address in a string", 'const a = "https://example.org"; import("x")', ["x"]],
])("imports are found in %s", (_, text, expected) => {
  expect(importsOf(text)).toEqual(expected);
});
