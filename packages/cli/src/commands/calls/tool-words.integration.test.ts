import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeAll(async () => {
  database = await createServerDatabase();
  root = await mkdtemp(join(tmpdir(), "toolwright-words-"));
  await mkdir(join(root, "workspace"));
  await mkdir(join(root, "tools"));
  await writeFile(join(root, "tools/release-notes.tool.ts"), releaseNotes);
  await writeFile(join(root, "tools/publish-notes.tool.ts"), publishNotes);
  await writeFile(
    join(root, "asking.yaml"),
    "version: 1\ntools: { ask: [file_write] }\nagents: [{ id: reviewer, tools: { allow: [file_write] } }]\n",
  );
  await writeFile(join(root, "denying.yaml"), "version: 1\ntools: { deny: [file_write] }\n");
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
  await database.drop();
});

/** Echoes its input; its fields have the names of options. */
const releaseNotes = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "release_notes",
  description: "Notes of a release. To read a file use file_read.",
  input: z.object({
    version: z.string().describe("Of the release"),
    help: z.boolean().nullish().describe("With help"),
    json: z.boolean().nullish().describe("As JSON"),
    policy: z.string().nullish().describe("Of support"),
    tenant: z.string().nullish().describe("Of the house"),
    tools: z.string().nullish().describe("That were used"),
  }),
  output: z.object({ given: z.string() }),
  run: async (input) => ({ given: JSON.stringify(input) }),
});
`;

/** Its one step is the call that waits. */
const publishNotes = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "publish_notes",
  description: "Publish notes of a release. To write them use release_notes.",
  input: z.object({}),
  output: z.object({ status: z.string() }),
  effects: { tools: ["file_write"] },
  run: async (_, { tools }) => ({ status: (await tools.call("file_write", { path: "p.txt", content: "out" })).status }),
});
`;

const run = (argv: readonly string[], given: Partial<Io> = {}) =>
  runIn(root, argv, { ...given, env: { DATABASE_URL: database.url, TOOLWRIGHT_TOOLS: "tools", ...given.env } });

test.each<[string, string[], object]>([
  ["the version", ["--version", "1.0.1"], { version: "1.0.1" }],
  ["the version after =", ["--version=1.0.1"], { version: "1.0.1" }],
  ["help", ["--version", "1", "--help"], { version: "1", help: true }],
  ["json", ["--version", "1", "--json"], { version: "1", json: true }],
  ["a policy that is no file", ["--version", "1", "--policy", "long term"], { version: "1", policy: "long term" }],
  ["a tenant that is not there", ["--version", "1", "--tenant", "nobody"], { version: "1", tenant: "nobody" }],
  ["a folder that is not there", ["--version", "1", "--tools", "hammer"], { version: "1", tools: "hammer" }],
  ["everything behind --", ["--", "--version", "1", "--json"], { version: "1", json: true }],
])("a field of the tool that is named like an option reaches the tool: %s", async (_, words, expected) => {
  const { code, out } = await run(["call", "release_notes", ...words]);
  expect(JSON.parse(JSON.parse(out).given)).toEqual(expected);
  expect(code).toBe(exitCodes.done);
});

test("before the tool's name it is an option, and after the name where the tool has no such field", async () => {
  expect(JSON.parse((await run(["call", "--json", "release_notes", "--version", "1"])).out)).toMatchObject({ status: "done" });
  const listed = await run(["call", "file_list", "--json"]);
  expect(JSON.parse(listed.out)).toMatchObject({ status: "done", tool: "file_list" });
});

test("help after a tool's name prints the fields of the tool", async () => {
  const { code, out } = await run(["call", "file_read", "--help"]);
  expect([code, out]).toEqual([exitCodes.done, expect.stringMatching(/--path <string> {2}Path of the file/)]);
});

test("a hint shows a field of the tool itself", async () => {
  const broken = await run(["call", "exec", "{ls}"]);
  expect([broken.code, broken.err]).toEqual([
    exitCodes.usage,
    expect.stringMatching(/'\{"command": \.\.\.\}', or fields: --command <value>/),
  ]);
  expect(broken.err).not.toContain("path");
});

test("stdout holds the result alone when the input was repaired", async () => {
  await writeFile(join(root, "workspace/a.txt"), "one\n");
  const { out, err } = await run(["call", "release_notes", '{"version": "1", "json": "true"}']);
  expect(JSON.parse(JSON.parse(out).given)).toEqual({ version: "1", json: true });
  expect(err).toContain("The input was repaired at /json");
});

test("a tool that the policy hides ends as denied, and the policy in force is named", async () => {
  const { code, err } = await run(["call", "file_write", "--path", "a", "--content", "b", "--policy", "denying.yaml"]);
  expect(code).toBe(exitCodes.denied);
  expect(err).toMatch(/tools\.deny\[0\].*policy in force is .*denying\.yaml, revision [0-9a-f]{12}/);
  expect(await run(["call", "file_wirte"])).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('"file_write"') });
});

test("an agent that is not there is told by the nearest name, wherever it is named", async () => {
  for (const command of [["why", "file_write"], ["call", "file_write", "--path", "a", "--content", "b"], ["list"]]) {
    const { code, err } = await run([...command, "--agent", "reviewr", "--policy", "asking.yaml"]);
    expect([code, err]).toEqual([exitCodes.usage, expect.stringContaining('Did you mean "reviewer"?')]);
  }
});

test("a call is made for a tenant, and in the name of an agent", async () => {
  const { out } = await run(["call", "file_write", "--tenant", "acme", "--path", "t.txt", "--content", "x", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ status: "done" });
  expect(await readFile(join(root, "workspace.tenants/acme/t.txt"), "utf8")).toBe("x");
  expect(await run(["call", "file_write", "--tenant", "amce", "--path", "t", "--content", "x"])).toMatchObject({ code: exitCodes.usage });
  const asked = await run(["call", "file_read", "--agent", "reviewer", "--path", "a.txt", "--policy", "asking.yaml"]);
  expect([asked.code, asked.err]).toEqual([exitCodes.denied, expect.stringContaining("agents.reviewer.tools.allow")]);
});

const write = (content: string, ...more: string[]) => [
  "call",
  "file_write",
  "--policy",
  "asking.yaml",
  "--path",
  "w.txt",
  "--overwrite",
  "--content",
  content,
  ...more,
];
const idOf = (text: string) => /apr_[\w-]+/.exec(text)?.[0] ?? "";

test("the same call takes up its approval: one is asked for, approving is enough, and it runs once", async () => {
  const first = await run(write("one", "--tenant", "acme"));
  expect([first.code, first.err]).toEqual([
    exitCodes.pending,
    expect.stringMatching(/approvals approve apr_\S+ --run --tenant acme --policy asking\.yaml/),
  ]);
  const id = idOf(first.err);
  expect(idOf((await run(write("one", "--tenant", "acme"))).err)).toBe(id);
  const approved = await run(["approvals", "approve", id, "--tenant", "acme"]);
  expect(approved.err).toMatch(new RegExp(`same call again, or now: toolwright approvals run ${id} --tenant acme`));
  expect((await run(write("one", "--tenant", "acme"))).code).toBe(exitCodes.done);
  expect((await run(write("one", "--tenant", "acme"))).code).toBe(exitCodes.pending);
});

test("a call inside another one goes on with a worker, or now", async () => {
  const id = idOf((await run(["call", "publish_notes", "--policy", "asking.yaml"])).err);
  expect((await run(["approvals", "approve", id])).err).toBe(
    `Approved. It runs with toolwright serve or toolwright worker, or now: toolwright approvals run ${id}\n`,
  );
  expect((await run(["approvals", "run", id, "--policy", "asking.yaml"])).out).toContain('"done"');
});

const terminal = { isInteractive: true, outIsTerminal: true };

test("in a terminal to approve is to run, unless the person leaves it to the caller", async () => {
  const left = idOf((await run(write("two"))).err);
  expect((await run(["approvals", "approve", left, "--no-run", "--policy", "asking.yaml"], terminal)).err).toMatch(
    /^Approved\. It runs when/,
  );
  expect(await readFile(join(root, "workspace/w.txt"), "utf8").catch(() => "none")).toBe("none");
  const id = idOf((await run(write("three"))).err);
  const ran = await run(["approvals", "approve", id, "--policy", "asking.yaml"], terminal);
  expect([ran.code, await readFile(join(root, "workspace/w.txt"), "utf8")]).toEqual([exitCodes.done, "three"]);
});

test("an approval that is run under another policy says so, and stays", async () => {
  const id = idOf((await run(write("four"))).err);
  const other = await run(["approvals", "approve", id, "--run"]);
  expect(other.code).toBe(exitCodes.failed);
  expect(other.err).toMatch(
    /made under a policy of revision [0-9a-f]{12}; here, the policy in force is the built-in default.*--policy FILE/,
  );
  expect((await run(write("four"))).code).toBe(exitCodes.done);
});

test("why takes fields and JSON, says what a repair changed, and says no where a call does not run", async () => {
  expect((await run(["why", "exec", "--command", "git push"])).out).toContain("about: git push");
  expect((await run(["why", "exec", '{"cmd": "ls"}'])).out).toMatch(/Repaired \/command: took "cmd"/);
  const open = await run(["why", "file_write"]);
  expect(open.out).toMatch(/depends on its input:\n.*requires path, content\n.*each path/);
  for (const path of ["/etc/passwd", "../x"]) {
    const { out } = await run(["why", "file_read", "--path", path]);
    expect(out).toMatch(/Does not run: The path is outside|Denied: The path leaves/);
    expect(out.split("\n")[1]).not.toMatch(/^Allowed/);
  }
  const unset = await run(["why", "http_request", "--url", "https://example.org", "--credential", "MISSING"]);
  expect(unset.out).toMatch(/Does not run: the secret "MISSING" is not set/);
});
