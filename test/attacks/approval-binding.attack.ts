import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ANSWER_APPROVALS, type CallResult, createEngine, type Engine, type Json, type Principal } from "@toolwright/engine";
import type { TenantTool, TenantToolRows } from "@toolwright/engine/catalogue";
import { createHostDriver, execCapability, filesCapability } from "@toolwright/sandbox";
import { builtinTools, fileTools, runtimeTools } from "@toolwright/tools";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Place } from "../e2e/run-cli.ts";
import { canSandbox } from "../e2e/sandbox-here.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, permissions: [], door: "mcp" };
const permissions = builtinTools.flatMap(({ permission }) => permission ?? []);
const person: Principal = { ...agent, actor: { kind: "user", id: "ann" }, permissions: [ANSWER_APPROVALS], door: "cli", interactive: true };

let folder: string;
let workspace: string;
let engine: Engine;
const driver = createHostDriver();

beforeAll(() => {
  engine = createEngine({
    tools: [...fileTools, ...runtimeTools],
    capabilities: [execCapability({ drivers: [driver], workspaceOf: () => workspace }), filesCapability({ workspaceOf: () => workspace })],
    machine: () => ({ sandbox: { available: true, detail: "test" } }),
    policy: [
      {
        tier: "platform",
        document: {
          version: 1,
          tools: { ask: ["exec", "file_write", "file_edit", "file_patch", "file_delete", "file_read"] },
          commands: { mode: "full", block_high_risk: false, approve_medium_risk: true, builtin_rules: true, rules: [] },
          sandbox: { mode: "host", network: "host" },
        },
      },
    ],
  });
});
afterAll(async () => {
  await engine.close();
  await driver.close();
});
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-binding-")));
  workspace = join(folder, "workspace");
  for (const path of ["zza", "zzb", "src/a.js", "src/deep/b.js", "src/.env", "other/a.js", "one.txt", "../outside/one.txt"])
    put(path, path);
  for (const path of ["dd", "out"]) mkdirSync(at(path));
  put("run.sh", "echo one >> ran.log");
  chmodSync(at("run.sh"), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (path: string) => join(workspace, path);
function put(path: string, text: string) {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

/** Asks, is told yes, lets `between` happen, and takes the yes up. */
async function yesThen(tool: string, input: Record<string, Json>, between: () => void): Promise<CallResult> {
  const scope = engine.scope({ ...agent, permissions }, { session: "s" });
  const asked = await scope.invokeNamed(tool, input);
  if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
  await engine.scope(person, { session: "of-person" }).answer(asked.approval.id, { kind: "approve" });
  between();
  return scope.resume(asked.approval.id);
}

const voided = (named: string) => ({
  status: "failed",
  error: { code: "approval_void", message: expect.stringContaining(JSON.stringify(named)) },
});

const add = (path: string) => () => put(path, "new");
const edit = (path: string) => () => put(path, "another");
const remove = (path: string) => () => rmSync(at(path), { recursive: true });
const rename = (path: string, to: string) => () => renameSync(at(path), at(to));
const chmod = (path: string) => () => chmodSync(at(path), 0o700);
const link = (path: string, target: string) => () => {
  rmSync(at(path), { recursive: true, force: true });
  symlinkSync(target, at(path));
};
const hardLink = (path: string, target: string) => () => {
  rmSync(at(path));
  linkSync(at(target), at(path));
};

describe("a command that somebody said yes to does not run when what it names became another (R-AP-2, R-AP-3, R-AP-12)", () => {
  test.each<[line: string, what: string, change: () => void, named: string]>([
    ["rm zz*", "a file that matches was added", add("zzc"), "zzc"],
    ["rm zz*", "a match was edited", edit("zzb"), "zzb"],
    ["rm zz*", "a match is gone", remove("zzb"), "zzb"],
    ["rm zz*", "a match was renamed", rename("zza", "zzx"), "zzx"],
    ["rm zz*", "a match became a link", link("zza", "one.txt"), "zza"],
    ["cat src/*.js > all.js", "a match below a folder was added", add("src/z.js"), "src/z.js"],
    ["rm {zz,yy}[a-c]", "a match of braces and a set was added", add("yyb"), "yyb"],
    ["sh -c 'cat zz* > all'", "a match for an inner shell was added", add("zzc"), "zzc"],
    ["P='zz*'; rm $P", "a match of a variable was added", add("zzc"), "zzc"],
    ["tee dd/new.yml < one.txt", "its folder leads elsewhere", link("dd", "src"), "dd/new.yml"],
    ["tee dd/new.yml < one.txt", "its folder leads outside", link("dd", "../outside"), "dd/new.yml"],
    ["echo x > dd/deep/new.yml", "a folder above leads elsewhere", link("dd", "src"), "dd/deep/new.yml"],
    ["mkdir -p dd/b/c", "a folder on the way leads elsewhere", link("dd", "src"), "dd/b/c"],
    ["mkdir -p nn/b/c", "a folder to be made is a link by now", link("nn", "src"), "nn/b/c"],
    ["touch nn", "the file to be made is a link to nothing by now", link("nn", "../outside/made"), "nn"],
    ["cp one.txt dd/", "the target leads elsewhere", link("dd", "src"), "dd"],
    ["cp one.txt dd", "in the target its name is a link", link("dd/one.txt", "../../outside/one.txt"), "dd/one.txt"],
    ["cp -r src out", "a file was edited", edit("src/a.js"), "src/a.js"],
    ["cp -r src out", "a file far below was edited", edit("src/deep/b.js"), "src/deep/b.js"],
    ["cp -r src out", "a file was added", add("src/deep/n.js"), "src/deep/n.js"],
    ["cp -r src out", "a file is gone", remove("src/deep/b.js"), "src/deep/b.js"],
    ["cp -r src out", "a file was made a program", chmod("src/a.js"), "src/a.js"],
    ["cp -r src out", "a folder below was renamed", rename("src/deep", "src/deeper"), "src/deeper/b.js"],
    ["cp -rL src out", "a file became a link", link("src/a.js", "../one.txt"), "src/a.js"],
    ["D=src; cp -r $D out", "a file below a folder in a variable was edited", edit("src/a.js"), "src/a.js"],
    ["mv src out", "a file was added", add("src/n.js"), "src/n.js"],
    ["tar cf x.tar -C src .", "a file was edited", edit("src/a.js"), "src/a.js"],
    ["rm -r src", "a file was added", add("src/n.js"), "src/n.js"],
    ["find src -name '*.js' -exec cat {} +", "a file that it finds was added", add("src/n.js"), "src/n.js"],
    ["./run.sh", "it was edited", edit("run.sh"), "run.sh"],
    ["./run.sh", "its mode changed", chmod("run.sh"), "run.sh"],
    ["tee one.txt < zza", "the file is another name of another", hardLink("one.txt", "zzb"), "one.txt"],
  ])("%s: %s", async (command, _, change, named) => {
    expect(await yesThen("exec", { command }, change)).toMatchObject(voided(named));
  });

  test.each<[line: string, made: string]>([
    ["cat zz* > all", "all"],
    ["cp -r src out", "out/src/deep/b.js"],
    ["mkdir -p nn/b/c", "nn/b/c"],
    ["cp one.txt dd/", "dd/one.txt"],
    ["tee dd/new.yml < one.txt", "dd/new.yml"],
    ["./run.sh", "ran.log"],
  ])("%s: runs once when nothing changed but what it has nothing to do with", async (command, made) => {
    const result = await yesThen("exec", { command }, add("unrelated.txt"));
    expect(result).toMatchObject({ status: "done" });
    expect(existsSync(at(made))).toBe(true);
  });
});

test("a call that was run is not run again by the same yes (R-AP-4)", async () => {
  const scope = engine.scope({ ...agent, permissions }, { session: "s" });
  const asked = await scope.invokeNamed("exec", { command: "./run.sh" });
  if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
  await engine.scope(person, { session: "of-person" }).answer(asked.approval.id, { kind: "approve" });
  const results = await Promise.all(Array.from({ length: 5 }, () => scope.resume(asked.approval.id)));
  expect(results.filter(({ status }) => status === "done")).toHaveLength(1);
  expect(readFileSync(at("ran.log"), "utf8")).toBe("one\n");
});

describe("a file tool that somebody said yes to does not run when its path became another (R-AP-12)", () => {
  const write = (path: string) => ["file_write", { path, content: "x" }] as const;
  const patch = (...lines: readonly string[]) =>
    ["file_patch", { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }] as const;
  test.each<[call: readonly [string, Record<string, Json>], what: string, change: () => void, named: string]>([
    [write("dd/new.yml"), "its folder leads elsewhere", link("dd", "src"), "dd/new.yml"],
    [write("dd/b/c/new.yml"), "a folder on the way leads elsewhere", link("dd", "src"), "dd/b/c/new.yml"],
    [write("new.yml"), "it is there by now", add("new.yml"), "new.yml"],
    [write("one.txt"), "what it takes the place of was edited", edit("one.txt"), "one.txt"],
    [write("one.txt"), "it is a link by now", link("one.txt", "zza"), "one.txt"],
    [["file_edit", { path: "one.txt", oldText: "one", newText: "two" }], "it was edited", edit("one.txt"), "one.txt"],
    [patch("*** Update File: one.txt", "-one.txt", "+two"), "it was edited", edit("one.txt"), "one.txt"],
    [patch("*** Update File: zza", "-zza", "+a", "*** Delete File: zzb"), "a file that it deletes was edited", edit("zzb"), "zzb"],
    [patch("*** Update File: zza", "*** Move to: new.yml"), "there is a file where it moves one to", add("new.yml"), "new.yml"],
    [["file_read", { path: "src/.env" }], "another file is there by a link", link("src/.env", "../one.txt"), "src/.env"],
    [["file_delete", { path: "src", recursive: true }], "a file was added below", add("src/n.js"), "src/n.js"],
    [["file_delete", { path: "src", recursive: true }], "a file below was renamed", rename("src/a.js", "src/x.js"), "src/x.js"],
  ])("%j: %s", async ([tool, input], _, change, named) => {
    expect(await yesThen(tool, input, change)).toMatchObject(voided(named));
  });

  test("it runs when nothing changed", async () => {
    expect(await yesThen("file_write", { path: "dd/new.yml", content: "x" }, add("other.txt"))).toMatchObject({ status: "done" });
    expect(await yesThen("file_delete", { path: "other", recursive: true }, add("other.txt"))).toMatchObject({ status: "done" });
    expect([existsSync(at("dd/new.yml")), existsSync(at("other"))]).toEqual([true, false]);
  });
});

describe("a tool of a tenant that somebody said yes to does not run when it was edited (R-AP-12)", () => {
  const object = (properties: Record<string, Json>) => ({ type: "object", properties, required: [], additionalProperties: false });
  const greet: TenantTool = {
    tool: "greet",
    title: "Greet",
    group: "own",
    description: "Greets.",
    inputSchema: object({}),
    outputSchema: object({ said: { type: "string" } }),
    approval: "always_ask",
    execution: { steps: [{ say: "hello" }] },
  };
  const custom = (more: Partial<TenantTool>): TenantToolRows => ({ overrides: [], custom: [{ ...greet, ...more }] });

  function openTenant() {
    const state: { rows: TenantToolRows; said: Json[] } = { rows: custom({}), said: [] };
    const tenantEngine = createEngine({
      tools: [],
      tenantTools: { of: () => state.rows, onChange: () => () => {} },
      tenantToolExecutor: {
        effects: () => ({}),
        run: async ({ execution }) => {
          state.said.push(execution);
          return { said: "hello" };
        },
      },
    });
    return { state, engine: tenantEngine };
  }

  async function yesThenTenant(change: TenantToolRows) {
    const { state, engine } = openTenant();
    try {
      const scope = engine.scope(agent, { session: "s" });
      const asked = await scope.invokeNamed("greet", {});
      if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
      await engine.scope(person, { session: "of-person" }).answer(asked.approval.id, { kind: "approve" });
      state.rows = change;
      return { result: await engine.scope(agent, { session: "s" }).resume(asked.approval.id), said: state.said };
    } finally {
      await engine.close();
    }
  }

  test.each<[what: string, change: TenantToolRows]>([
    ["what it executes", custom({ execution: { steps: [{ say: "goodbye" }] } })],
    ["one step more", custom({ execution: { steps: [{ say: "hello" }, { say: "again" }] } })],
    ["its input", custom({ inputSchema: object({ name: { anyOf: [{ type: "string" }, { type: "null" }] } }) })],
    ["a keyword of its input that the form does not show", custom({ inputSchema: { ...object({}), $comment: "x" } })],
    ["its output", custom({ outputSchema: object({ said: { type: "string", maxLength: 5 } }) })],
    ["its limits", custom({ limits: { timeoutMs: 1000 } })],
    ["its group", custom({ group: "other" })],
  ])("%s", async (_, change) => {
    const { result, said } = await yesThenTenant(change);
    expect(result).toMatchObject({ status: "failed", error: { code: "approval_void", message: expect.stringContaining('"greet"') } });
    expect(said).toEqual([]);
  });

  test("it runs once when its row was only read again", async () => {
    const { result, said } = await yesThenTenant(structuredClone(custom({})));
    expect(result).toMatchObject({ status: "done" });
    expect(said).toEqual([greet.execution]);
  });
});

test.runIf(await canSandbox())(
  "the person who is asked sees the real folder, the program and the files that count (R-AP-7, R-AP-12)",
  async () => {
    const place = await Place.make();
    try {
      mkdirSync(place.path("workspace/real"), { recursive: true });
      symlinkSync("real", place.path("workspace/sub"));
      for (const name of ["zza", "zzb"]) writeFileSync(place.path("workspace/real", name), name);
      writeFileSync(place.path("workspace/real/go.sh"), "true", { mode: 0o755 });
      const asked = await place.run(["call", "exec", "--command", "rm zz* && ./go.sh", "--workdir", "sub", "--json"]);
      const { id } = (JSON.parse(asked.out) as { approval: { id: string } }).approval;
      const shown = (await place.run(["approvals", "show", id])).out;
      const real = realpathSync(place.path("workspace/real"));
      expect(shown).toContain(`folder   ${real}\n`);
      expect(shown).toMatch(/runs +rm: \/usr\/bin\/rm\n/);
      expect(shown).toContain(`./go.sh: ${real}/go.sh\n`);
      expect(shown).toMatch(/holds .*"real\/go\.sh".*"real\/zza", "real\/zzb"/);
      const { record } = JSON.parse((await place.run(["approvals", "show", id, "--json"])).out) as { record: { standsFor: Json } };
      expect(record.standsFor).toMatchObject([{ folder: real, programs: [{ word: "rm", path: "/usr/bin/rm" }, { word: "./go.sh" }] }]);
      await place.run(["approvals", "approve", id]);
      writeFileSync(place.path("workspace/real/zzc"), "");
      expect((await place.run(["approvals", "run", id])).err).toMatch(/approval_void.*"real\/zzc" \(is new\)/s);
      expect(existsSync(place.path("workspace/real/zza"))).toBe(true);
    } finally {
      await place.remove();
    }
  },
);
