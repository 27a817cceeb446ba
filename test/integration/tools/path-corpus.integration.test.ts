import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createEngine, type ErrorCode, type Files, parsePolicyDocument, ToolwrightError } from "@toolwright/engine";
import { createBwrapDriver, execCapability, filesCapability } from "@toolwright/sandbox";
import { judgePathCase, type PathCase } from "@toolwright/sandbox/testing";
import { builtinPermissions, fileTools, runtimeTools } from "@toolwright/tools";
import { afterAll, describe, expect, test } from "vitest";

/** The path corpus once more, for every writer: through the tools, the gate and the policy, and through redirects of commands. */

const cases = ["paths.jsonl", "paths-own.jsonl"].flatMap((name) =>
  readFileSync(new URL(`../../corpora/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as PathCase),
);
const driver = createBwrapDriver();
const { available } = await driver.probe();
afterAll(() => driver.close());

const everything = { version: 1, autonomy: "full", commands: { mode: "full", block_high_risk: false, approve_medium_risk: false } };

function openInvoke(root: string, onStep: NonNullable<Parameters<typeof filesCapability>[0]["onStep"]> = () => {}) {
  const workspaceOf = () => root;
  const engine = createEngine({
    tools: [...fileTools, ...runtimeTools],
    policy: [{ tier: "platform", document: parsePolicyDocument(everything) }],
    capabilities: [filesCapability({ workspaceOf, onStep }), execCapability({ workspaceOf, drivers: [driver] })],
    machine: () => ({ sandbox: { available, detail: "" } }),
  });
  const scope = engine.scope(
    { tenant: "t", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" },
    { session: "s" },
  );
  return async (tool: string, input: object) => {
    const result = await scope.invokeNamed(tool, input as never);
    if (result.status === "done") return result.output as never;
    const code: ErrorCode = result.status === "failed" && result.error.code !== "invalid_input" ? result.error.code : "path_refused";
    throw new ToolwrightError(code, JSON.stringify(result));
  };
}

const notATool = async (): Promise<never> => {
  throw new Error("No tool does this.");
};

/** What each tool is given to write, so that it fails only for where it is. */
const writing = {
  file_write: ({ path, content }: Writing) => ({ path, content }),
  file_edit: ({ root, path }: Writing) => ({ path, oldText: contentOf(root, path), newText: "edited" }),
  file_patch: ({ root, path }: Writing) => ({
    patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${contentOf(root, path).split("\n")[0]}\n+edited\n*** End Patch`,
  }),
};

interface Writing {
  readonly root: string;
  readonly path: string;
  readonly content: string;
}

/** Files behind the file tools. `write` is what the case says a writer does. */
function openTools(root: string, onStep?: Parameters<typeof openInvoke>[1], write: keyof typeof writing = "file_write"): Files {
  const invoke = openInvoke(root, onStep);
  return {
    readLines: (path) => invoke("file_read", { path }),
    list: (path) => invoke("file_list", { path }),
    delete: (path, { recursive = false } = {}) => invoke("file_delete", { path, recursive }),
    write: (path, content) => invoke(write, writing[write]({ root, path, content: String(content) })),
    change: notATool,
    readBytes: async (path) => Buffer.from(((await invoke("file_read", { path })) as { text: string }).text),
    stat: notATool,
    glob: notATool,
    grep: notATool,
  };
}

/** What the file really holds, links followed, so that an edit fails only for where it is. */
function contentOf(root: string, path: unknown): string {
  try {
    const place = join(root, String(path));
    return (statSync(place).isFile() && readFileSync(place, "utf8")) || "x";
  } catch {
    return "x";
  }
}

const writers = new Set(["write", "edit"]);
/** No tool tells only that something is there, and none chooses its workspace. Races are those of the files below the tools. */
const isOfTools = ({ op, race }: PathCase) => !["stat", "exists", "root"].includes(op) && !race;

describe("R-FS-1 R-FS-5 the path corpus through the file tools and the gate", () => {
  test.each(cases.filter(isOfTools))("$id: $why", async (one) => {
    const { pass, detail } = await judgePathCase(one, { open: openTools, mostMs: 5_000 });
    expect(pass, detail).toBe(true);
  });
});

describe.each(["file_edit", "file_patch"] as const)("R-FS-5 what must not be written is not written by %s", (tool) => {
  test.each(cases.filter((one) => writers.has(one.op) && one.expect === "deny" && isOfTools(one)))("$id: $why", async (one) => {
    const { pass, detail } = await judgePathCase(one, { open: (root, onStep) => openTools(root, onStep, tool), mostMs: 5_000 });
    // Names with line breaks cannot be written in a patch.
    expect(pass || /file_not_found|patch_invalid/.test(detail), detail).toBe(true);
  });
});

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const denied = cases.filter(
  ({ op, path, expect }) => expect === "deny" && (writers.has(op) || op === "delete") && typeof path === "string",
);

/** Everything beside the workspace. */
function listOutside(root: string): readonly string[] {
  const parent = dirname(root);
  return readdirSync(parent, { recursive: true, encoding: "utf8" })
    .filter((path) => path !== "work" && !path.startsWith("work/"))
    .map((path) => `${path} ${lstatSync(join(parent, path)).isFile() ? readFileSync(join(parent, path), "utf8") : ""}`);
}

/** Does with commands what a case says. */
function openCommands(root: string): Files {
  const invoke = openInvoke(root);
  const run = async (command: string): Promise<never> => {
    const before = listOutside(root);
    await invoke("exec", { command }).catch(() => {});
    expect(listOutside(root)).toEqual(before);
    throw new ToolwrightError("path_refused", "The command ran, and outside all is as it was.");
  };
  return {
    readLines: async () => ({ text: "", lines: 0, truncated: false, version: "" }),
    write: (path) => run(`mkdir -p ${quote(dirname(path))}; printf changed > ${quote(path)}`),
    delete: (path) => run(`rm -rf ${quote(path)}`),
    change: notATool,
    readBytes: notATool,
    list: notATool,
    stat: notATool,
    glob: notATool,
    grep: notATool,
  };
}

describe.runIf(available)("R-FS-1 commands in the sandbox change nothing outside, whatever the policy lets them do", () => {
  const categories = new Set(["absolute", "prefix", "proc", "symlink", "traversal"]);

  test.each(denied.filter(({ cat }) => categories.has(cat)))("$id: $why", async (one) => {
    const { pass, detail } = await judgePathCase(one, { open: openCommands, mostMs: 30_000 });
    expect(pass, detail).toBe(true);
  });
});

describe("R-FS-5 a command that names such a path is not run unasked, even where its words are allowed", () => {
  const categories = new Set(["absolute", "prefix", "proc", "protected", "traversal"]);
  const rules = ["printf *", "tee *", "cp *", "mv *", "touch *", "rm *"].map((pattern) => ({ pattern, effect: "allow" }));
  const engine = createEngine({
    tools: [...fileTools, ...runtimeTools],
    policy: [{ tier: "platform", document: parsePolicyDocument({ version: 1, autonomy: "full", commands: { mode: "allowlist", rules } }) }],
    capabilities: [filesCapability({ workspaceOf: () => "/" }), execCapability({ workspaceOf: () => "/", drivers: [driver] })],
    machine: () => ({ sandbox: { available: true, detail: "" } }),
  });
  const scope = engine.scope(
    { tenant: "t", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" },
    { session: "s" },
  );
  // A name that is a link says nothing; where it leads is the sandbox's to hold.
  const named = denied.filter(({ cat, setup }) => categories.has(cat) && !setup.some((step) => "symlink" in step));
  const forms = ["printf x > PATH", "printf x | tee PATH", "cp in.txt PATH", "mv in.txt PATH", "touch PATH", "rm PATH"];

  test("a path that is not protected is the control", async () => {
    for (const form of forms.slice(1)) {
      expect((await scope.why("exec", { command: form.replace("PATH", "a.txt") })).decision?.effect, form).toBe("allow");
    }
  });

  test.each(named)("$id: $why", async ({ path }) => {
    const target = quote((path as string).replace(/\$([WOSP])(?![A-Za-z_])/g, "/somewhere/$1"));
    for (const form of forms) {
      const command = form.replace("PATH", () => target);
      expect((await scope.why("exec", { command })).decision?.effect, command).not.toBe("allow");
    }
  });
});
