import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Place } from "../e2e/run-cli.ts";
import { callByMcp, type Served, startServer } from "../e2e/served.ts";

/** R-RE-1: one file of tools hangs, exits, throws late or changes what all share; the calls of others go on. */
let place: Place;
let server: Served;
let said = "";

const toolOf = (name: string, body: string, head = "") => `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
${head}
export default defineTool({ name: "${name}", description: "Does something for the tests of this folder.",
  input: z.object({}), output: z.object({ text: z.string() }), async run(_, ctx) { ${body} } });
`;
const later = (code: string) => `setTimeout(() => { ${code} }, 20); return { text: "answered" };`;
const meanwhile = (code: string) => `await new Promise(() => { setTimeout(() => { ${code} }, 20); });`;
const throws = 'throw new Error("canary-of-an-error");';

/** What a file does when it is loaded, and what its operator reads of it. */
const atLoad: readonly [name: string, head: string, reason: RegExp][] = [
  ["waits_for_ever", "await new Promise(() => {});", /did not finish loading within 2 s/],
  ["waits_too", "await new Promise(() => {});", /did not finish loading within 2 s/],
  ["exits", "process.exit(0);", /process\.exit/],
  ["exits_by_name", 'const { exit } = await import("node:process"); exit(3);', /process\.exit/],
  ["exits_and_swallows", "try { process.exit(0); } catch {}", /process\.exit/],
  ["exits_deeply", "process.reallyExit(0);", /process\.reallyExit/],
  ["aborts", "process.abort();", /process\.abort/],
  ["kills", 'process.kill(process.pid, "SIGKILL");', /process\.kill/],
  ["exits_later", "setTimeout(() => process.exit(0), 10);", /process\.exit/],
  ["rejects", 'Promise.reject(new Error("stray"));', /promise of it was rejected/],
  ["rejects_without_error", "Promise.reject(undefined);", /promise of it was rejected/],
  ["throws_later", "setTimeout(() => { throw new Error('late'); }, 10);", /callback of it threw/],
  ["throws_in_a_microtask", "queueMicrotask(() => { throw new Error('micro'); });", /callback of it threw/],
  ["connects", 'import { connect } from "node:net"; connect(1, "127.0.0.1");', /callback of it threw/],
  ["pollutes", "Object.prototype.polluted = 1;", /not extensible/],
  [
    "replaces",
    "const own = Array.prototype.map; Array.prototype.map = function (...all) { return own.apply(this, all); };",
    /Array\.prototype\.map/,
  ],
  ["removes", "delete JSON.stringify;", /JSON\.stringify/],
];

const inRun: readonly [name: string, body: string, answer: RegExp, reason: RegExp][] = [
  ["run_exits", "process.exit(0);", /failed/, /process\.exit/],
  ["run_exits_later", later("process.exit(0);"), /answered/, /process\.exit/],
  [
    "run_rejects",
    `Promise.reject(new Error("canary-of-an-error")); ${meanwhile("")}`,
    /promise of it was rejected/,
    /promise of it was rejected/,
  ],
  ["run_throws_meanwhile", meanwhile(throws), /callback of it threw/, /callback of it threw/],
  ["run_throws_later", later(throws), /answered/, /callback of it threw/],
  ["run_forgets_to_wait", `(async () => { await 1; ${throws} })(); return { text: "answered" };`, /answered/, /promise of it was rejected/],
  ["run_replaces", `Map.prototype.get = () => undefined; return { text: "answered" };`, /answered|tool_/, /Map\.prototype\.get/],
  ["run_removes", `delete JSON.stringify; return { text: "answered" };`, /answered|tool_/, /JSON\.stringify/],
];

const failing: readonly [name: string, body: string, reason: RegExp][] = [
  ["run_pollutes", 'Object.prototype.polluted = 1; return { text: "answered" };', /not extensible/],
  ["run_pollutes_by_merging", 'const merged = {}; merged.__proto__.polluted = 1; return { text: "answered" };', /not extensible/],
  ["run_deletes", 'delete Object.prototype.hasOwnProperty; return { text: "answered" };', /Cannot delete/],
];

beforeAll(async () => {
  place = await Place.make();
  await mkdir(place.path("tools"));
  for (const [name, head] of atLoad)
    await writeFile(place.path(`tools/a_${name}.tool.ts`), toolOf(`load_${name}`, 'return { text: "ran" };', head));
  for (const [name, body] of inRun) await writeFile(place.path(`tools/${name}.tool.ts`), toolOf(name, body));
  for (const [name, body] of failing) await writeFile(place.path(`tools/${name}.tool.ts`), toolOf(name, body));
  await writeFile(place.path("tools/z_good.tool.ts"), toolOf("good", 'return { text: "good" };'));
  await writeFile(
    place.path("tools/z_slow.tool.ts"),
    toolOf("slow", 'await new Promise((r) => setTimeout(r, 300)); return { text: "slow" };'),
  );
  server = await startServer(place, ["--tools", place.path("tools")], { TOOLWRIGHT_LOAD_SECONDS: "2" }, (text) => {
    said += text;
  });
});
afterAll(() => place.remove());

const call = (name: string) => callByMcp(server, name, {});
const health = async () => (await fetch(`${server.listens}/health`)).json();

test("the server starts, and the tools of other files work", async () => {
  expect(await call("good")).toContain('"good"');
  expect(await health()).toMatchObject({ status: "ok", calls: "ok" });
});

test.each(atLoad)("a file that %s when it loads gives no tool, and its operator reads why", async (name, _, reason) => {
  await expect.poll(() => call(`load_${name}`), { timeout: 10_000 }).toContain("There is no tool");
  const line = said.split("\n").filter((text) => text.includes(`a_${name}.tool.ts`));
  expect(line.join("\n")).toMatch(reason);
  expect(await call("good")).toContain('"good"');
});

describe.each(inRun)("a tool whose %s", (name, _, answer, reason) => {
  test("is answered, told to its operator and taken out, while calls of others go on", async () => {
    const other = call("slow");
    const answered = await call(name);
    expect(answered).toMatch(answer);
    expect(answered).not.toContain("canary-of-an-error");
    expect(await other).toContain('"slow"');
    await expect.poll(() => call(name), { timeout: 10_000 }).toContain("There is no tool");
    expect(
      said
        .split("\n")
        .filter((text) => text.includes(`${name}.tool.ts`))
        .join("\n"),
    ).toMatch(reason);
    expect(await call("good")).toContain('"good"');
  });
});

test.each(failing)("a tool whose %s fails by itself", async (name, _, reason) => {
  expect(await call(name)).toContain("log has it under");
  expect(
    said
      .split("\n")
      .filter((text) => text.includes(`Tool \\"${name}\\" threw`) || text.includes(name))
      .join("\n"),
  ).toMatch(reason);
  expect(await call("good")).toContain('"good"');
});

test("a file that was taken out is back when it changed, and so is every later file", async () => {
  await writeFile(place.path("tools/run_exits.tool.ts"), toolOf("run_exits", 'return { text: "mended" };'));
  await writeFile(place.path("tools/z_new.tool.ts"), toolOf("newer", 'return { text: "new" };'));
  await expect.poll(() => call("run_exits"), { timeout: 10_000 }).toContain("mended");
  expect(await call("newer")).toContain('"new"');
  expect(await call("run_throws_later")).toContain("There is no tool");
  expect(await health()).toMatchObject({ status: "ok", calls: "ok" });
  expect(server.child.exitCode).toBeNull();
});
