import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CallResult, createEngine, type Scope } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFolderSource } from "../../packages/server/src/tool-folder/folder-source.ts";
import { root } from "../architecture/source-files.ts";

/** R-AP-12, R-AP-2: between a person's yes and the run, somebody changes code that the tool file imports. */
let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "toolwright-modules-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const at = (path: string) => join(place, "tools", path);
const put = (path: string, text: string) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const marks = () => `process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(join(place, "ran"))}, "evil");`;
/** Runs when the tool uses the value; that a file is loaded is not the point here. */
const required = (path: string) => `require(${JSON.stringify(path)})`;
const evilValue = () => `{ toString() { ${marks()} return "evil"; } }`;
const evilModule = () => `export const value = ${evilValue()};`;
const evilRequired = () => `exports.value = ${evilValue()};`;
const hasRun = () => existsSync(join(place, "ran"));

/** A tool that asks each time, and runs these lines. */
const toolOf = (head: string, body = "return { text: String(value) };") => `${head}
import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({ name: "ask_me", description: "Does something for the tests of this folder.", approval: "always_ask",
  input: z.object({}), output: z.object({ text: z.string() }), async run() { ${body} } });
`;

const engine = () => createEngine();

/** As a process that starts now has it. */
async function load(engineHere: ReturnType<typeof engine>): Promise<readonly string[]> {
  const { problems } = await engineHere.load({ ...createFolderSource(join(place, "tools")), name: "tools" });
  return problems.map(({ message }) => message);
}

function scopeOf(engineHere: ReturnType<typeof engine>): Scope {
  const principal = {
    tenant: "default",
    actor: { kind: "user", id: "ann" },
    permissions: ["approvals:answer"],
    door: "cli",
    interactive: true,
    source: "cli",
  } as const;
  return engineHere.scope(principal, { session: "s1" });
}

/** Asks, says yes, lets something happen, loads as a new process would, and runs. */
async function runAfter(change: () => void, reload = true): Promise<CallResult> {
  const here = engine();
  expect(await load(here)).toEqual([]);
  const scope = scopeOf(here);
  const asked = await scope.invokeNamed("ask_me", {});
  if (asked.status !== "pending") throw new Error(`expected a question, got ${JSON.stringify(asked)}`);
  await scope.answer(asked.approval.id, { kind: "approve" });
  change();
  if (reload) await load(here);
  return scope.resume(asked.approval.id);
}

interface Case {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly tool: string;
  readonly change: () => void;
  /** Names what the message names. */
  readonly names: RegExp;
}

const chain = {
  "one.ts": 'export { value } from "./lib/two.ts";',
  "lib/two.ts": 'export { value } from "./three.ts";',
  "lib/three.ts": "export const value = 1;",
};
const plain = { "one.ts": "export const value = 1;" };
const require = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
const cases: readonly Case[] = [
  {
    what: "an import",
    files: plain,
    tool: toolOf('import { value } from "./one.ts";'),
    change: () => put("one.ts", evilModule()),
    names: /"one\.ts" \(changed\)/,
  },
  {
    what: "an import two levels deep",
    files: chain,
    tool: toolOf('import { value } from "./one.ts";'),
    change: () => put("lib/two.ts", evilModule()),
    names: /"lib\/two\.ts" \(changed\)/,
  },
  {
    what: "an import three levels deep",
    files: chain,
    tool: toolOf('import { value } from "./one.ts";'),
    change: () => put("lib/three.ts", evilModule()),
    names: /"lib\/three\.ts" \(changed\)/,
  },
  {
    what: "a file imported for its effect",
    files: plain,
    tool: toolOf('import "./one.ts"; const value = 1;'),
    change: () => put("one.ts", "export const other = 1;"),
    names: /"one\.ts"/,
  },
  {
    what: "JSON",
    files: { "data.json": '{"value": 1}' },
    tool: toolOf('import data from "./data.json" with { type: "json" }; const { value } = data;'),
    change: () => put("data.json", '{"value": 2}'),
    names: /"data\.json"/,
  },
  {
    what: "a required file",
    files: { "one.cjs": "exports.value = 1;" },
    tool: toolOf(`${require} const { value } = ${required("./one.cjs")};`),
    change: () => put("one.cjs", evilRequired()),
    names: /"one\.cjs"/,
  },
  {
    what: "what a required file requires",
    files: { "one.cjs": `exports.value = ${required("./lib")}.value;`, "lib/index.js": "exports.value = 1;" },
    tool: toolOf('import one from "./one.cjs"; const { value } = one;'),
    change: () => put("lib/index.js", evilRequired()),
    names: /"lib\/index\.js"/,
  },
  {
    what: "what the handler imports when it runs",
    files: plain,
    tool: toolOf("", 'const { value } = await import("./one.ts"); return { text: String(value) };'),
    change: () => put("one.ts", evilModule()),
    names: /"one\.ts"/,
  },
  {
    what: "what that imports",
    files: chain,
    tool: toolOf("", "const { value } = await import(`./one.ts`); return { text: String(value) };"),
    change: () => put("lib/three.ts", evilModule()),
    names: /"lib\/three\.ts"/,
  },
  {
    what: "what the handler requires when it runs",
    files: { "one.cjs": "exports.value = 1;" },
    tool: toolOf(
      'import { createRequire } from "node:module"; const fetchIt = createRequire(import.meta.url);',
      'return { text: String(fetchIt("./one.cjs").value) };',
    ),
    change: () => put("one.cjs", evilRequired()),
    names: /"one\.cjs"/,
  },
  {
    what: "what a required function requires when it runs",
    files: { "one.cjs": `exports.later = () => ${required("./two.cjs")}.value;`, "two.cjs": "exports.value = 1;" },
    tool: toolOf('import one from "./one.cjs";', "return { text: String(one.later()) };"),
    change: () => put("two.cjs", evilRequired()),
    names: /"two\.cjs"/,
  },
  {
    what: "a file outside of the folder of tools",
    files: { "../shared/one.ts": "export const value = 1;" },
    tool: toolOf('import { value } from "../shared/one.ts";'),
    change: () => put("../shared/one.ts", evilModule()),
    names: /"\.\.\/shared\/one\.ts"/,
  },
  {
    what: "what a computed name led to while it was loaded",
    files: plain,
    tool: toolOf('const name = ["./one", "ts"].join("."); const { value } = await import(name);'),
    change: () => put("one.ts", evilModule()),
    names: /"one\.ts"/,
  },
  {
    what: "a file without types",
    files: { "one.js": "export const value = 1;" },
    tool: toolOf('import { value } from "./one.js";'),
    change: () => put("one.js", evilModule()),
    names: /"one\.js"/,
  },
  {
    what: "the script of a worker",
    files: { "work.mjs": "1;" },
    tool: toolOf('const value = new URL("./work.mjs", import.meta.url).href.length;'),
    change: () => put("work.mjs", marks()),
    names: /"work\.mjs"/,
  },
  {
    what: "a file of the same size and time",
    files: plain,
    tool: toolOf('import { value } from "./one.ts";'),
    change: () => {
      put("one.ts", "export const value = 7;");
      utimesSync(at("one.ts"), 1, 1);
    },
    names: /"one\.ts"/,
  },
  {
    what: "an import that is new",
    files: plain,
    tool: toolOf('import { value } from "./one.ts";'),
    change: () => {
      put("added.ts", "export const other = 1;");
      put("one.ts", 'import "./added.ts"; export const value = 1;');
    },
    names: /"added\.ts" \(is new\)/,
  },
  {
    what: "an import that was renamed with its importer",
    files: plain,
    tool: toolOf('import { value } from "./one.ts";'),
    change: () => {
      renameSync(at("one.ts"), at("uno.ts"));
      put("ask.tool.ts", toolOf('import { value } from "./uno.ts";'));
    },
    names: /"one\.ts" \(is gone\).*"uno\.ts" \(is new\)|"uno\.ts" \(is new\).*"one\.ts" \(is gone\)/,
  },
  {
    what: "an import that was renamed alone",
    files: chain,
    tool: toolOf('import { value } from "./one.ts";'),
    change: () => renameSync(at("lib/three.ts"), at("lib/drei.ts")),
    names: /"lib\/three\.ts"/,
  },
  {
    what: "the tool file",
    files: plain,
    tool: toolOf('import { value } from "./one.ts";'),
    change: () => put("ask.tool.ts", toolOf('import { value } from "./one.ts"; const other = 1;')),
    names: /"ask\.tool\.ts" \(changed\)/,
  },
];

function prepare({ files, tool }: Pick<Case, "files" | "tool">): void {
  for (const [path, text] of Object.entries(files)) put(path, text);
  put("ask.tool.ts", tool);
}

describe("R-AP-12: an approval is void once the code changed that would run", () => {
  test.each(cases)("$what", async (each) => {
    prepare(each);
    const result = await runAfter(each.change);
    expect(result).toMatchObject({ status: "failed", error: { code: "approval_void", message: expect.stringMatching(each.names) } });
    expect(hasRun()).toBe(false);
  });

  test.each(cases)("$what, unchanged, runs once", async (each) => {
    prepare(each);
    const result = await runAfter(() => {});
    expect(result).toMatchObject({ status: "done" });
  });
});

describe("what a tool imports while it runs", () => {
  test("is refused when its name is computed and nobody knew the file", async () => {
    put("late.ts", marks());
    put("ask.tool.ts", toolOf("", 'const name = ["./late", "ts"].join("."); await import(name); return { text: "" };'));
    expect(await runAfter(() => {}, false)).toMatchObject({ status: "failed" });
    expect(hasRun()).toBe(false);
  });

  test("is refused when it names itself as part of another load", async () => {
    put("late.ts", marks());
    put(
      "ask.tool.ts",
      toolOf(
        "",
        'for (const id of [1, 2, 3, 99]) { const name = "./la" + "te.ts?toolwright-load=" + id; await import(name).catch(() => {}); } return { text: "" };',
      ),
    );
    await runAfter(() => {}, false);
    expect(hasRun()).toBe(false);
  });

  test("is refused through a module made of data", async () => {
    put("late.ts", marks());
    const url = '"data:text/javascript,import " + JSON.stringify(new URL("./la" + "te.ts", import.meta.url).href.split("?")[0])';
    put("ask.tool.ts", toolOf("", `await import(${url}); return { text: "" };`));
    expect(await runAfter(() => {}, false)).toMatchObject({ status: "failed" });
    expect(hasRun()).toBe(false);
  });

  test("is refused when it changed after it was loaded, in a process that goes on", async () => {
    prepare({ files: plain, tool: toolOf("", 'const { value } = await import("./one.ts"); return { text: String(value) };') });
    expect(await runAfter(() => put("one.ts", marks()), false)).toMatchObject({ status: "failed" });
    expect(hasRun()).toBe(false);
  });
});

/** What each tool of the folder is bound to, as a new process finds it: Node keeps for one process what led where. */
function codeInNewProcess(): Map<string, Map<string, string>> {
  const source = fileURLToPath(new URL("../../packages/server/src/tool-folder/folder-source.ts", import.meta.url));
  const script = `import { createFolderSource } from ${JSON.stringify(source)};
    const source = createFolderSource(${JSON.stringify(join(place, "tools"))});
    for (const file of await source.list()) console.log(JSON.stringify([file, (await source.load(file)).code]));`;
  const args = ["--conditions=@toolwright/source", "--input-type=module", "--eval", script];
  const lines = execFileSync(process.execPath, args, { encoding: "utf8", cwd: root }).trim().split("\n");
  return new Map(lines.map((line) => JSON.parse(line) as [string, [string, string][]]).map(([file, code]) => [file, new Map(code)]));
}

test("R-AP-12: a process that starts later finds where links, maps of imports, folders and packages lead by then", () => {
  put("link/a.tool.ts", toolOf('import { value } from "./link.ts";'));
  put("link/real.ts", "export const value = 1;");
  put("link/other.ts", "export const value = 2;");
  symlinkSync("real.ts", at("link/link.ts"));
  put("map/a.tool.ts", toolOf('import { value } from "#one"; import "#two";'));
  put("map/a.ts", "export const value = 1;");
  put("map/b.ts", "export const value = 2;");
  put("map/package.json", '{"imports": {"#one": "./a.ts", "#two": "./b.ts"}}');
  put("required/a.tool.ts", toolOf('import one from "./one.cjs"; const { value } = one;'));
  put("required/one.cjs", `exports.value = ${required("./lib")}.value;`);
  put("required/lib/index.js", "exports.value = 1;");
  put("package/a.tool.ts", toolOf('import value from "words";'));
  put("package/node_modules/words/package.json", '{"name": "words", "main": "main.js"}');
  put("package/node_modules/words/main.js", `module.exports = ${required("./lib/deep.js")};`);
  put("package/node_modules/words/lib/deep.js", "module.exports = 1;");
  put("scoped/a.tool.ts", toolOf('import { value } from "@acme/words";'));
  put("scoped/node_modules/@acme/words/package.json", '{"name": "@acme/words", "type": "module", "exports": "./main.js"}');
  put("scoped/node_modules/@acme/words/main.js", 'export { value } from "more";');
  put("scoped/node_modules/more/package.json", '{"type": "module", "exports": "./main.js"}');
  put("scoped/node_modules/more/main.js", "export const value = 1;");
  put("still/a.tool.ts", toolOf('import { value } from "./one.ts";'));
  put("still/one.ts", "export const value = 1;");
  const before = codeInNewProcess();
  rmSync(at("link/link.ts"));
  symlinkSync("other.ts", at("link/link.ts"));
  put("map/package.json", '{"imports": {"#one": "./b.ts", "#two": "./a.ts"}}');
  put("required/lib.js", "exports.value = 2;");
  put("package/node_modules/words/lib/deep.js", "module.exports = 2;");
  put("scoped/node_modules/more/main.js", "export const value = 2;");
  const after = codeInNewProcess();
  const changed = [...before].flatMap(([file, code]) => {
    const now = after.get(file) ?? new Map<string, string>();
    return [...new Set([...code.keys(), ...now.keys()])].filter((name) => code.get(name) !== now.get(name));
  });
  expect(changed.sort()).toEqual([
    "link/a.tool.ts",
    "link/other.ts",
    "link/real.ts",
    "map/a.tool.ts",
    "package/node_modules/words",
    "required/lib.js",
    "required/lib/index.js",
    "required/one.cjs",
    "scoped/node_modules/more",
  ]);
});

describe("ordinary work between the yes and the run voids nothing", () => {
  test.each<[string, () => void]>([
    ["a file that nobody imports", () => put("notes.ts", "export {};")],
    ["another tool", () => put("other.tool.ts", toolOf("").replace("ask_me", "other"))],
    ["a new time of a file", () => utimesSync(at("one.ts"), 1, 1)],
    ["the same content written again", () => put("one.ts", plain["one.ts"])],
    ["a package.json that leads nowhere else", () => put("package.json", '{"scripts": {"x": "y"}}')],
    ["a file that the tool reads", () => put("data.txt", "other")],
  ])("%s", async (_, change) => {
    put("data.txt", "some");
    prepare({
      files: plain,
      tool: toolOf(
        'import { value } from "./one.ts"; import { readFileSync } from "node:fs"; readFileSync(new URL("./data.txt", import.meta.url));',
      ),
    });
    expect(await runAfter(change)).toMatchObject({ status: "done", output: { text: "1" } });
  });
});

test("R-AP-12: a grant for a tool ends when a file that it imports changes", async () => {
  prepare({ files: plain, tool: toolOf('import { value } from "./one.ts";') });
  const here = engine();
  await load(here);
  const before = here.snapshot().find("ask_me")?.hash;
  put("one.ts", "export const value = 2;");
  await load(here);
  expect(here.snapshot().find("ask_me")?.hash).not.toBe(before);
  expect(readFileSync(at("one.ts"), "utf8")).toContain("2");
});
