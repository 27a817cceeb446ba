import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let cwd: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "toolwright-why-"));
  await mkdir(join(cwd, "workspace"));
  await writeFile(
    join(cwd, "policy.yaml"),
    `version: 1
include: [more.yaml]
tools: { deny: [file_delete] }
tenant:
  tools: { ask: [file_write] }
agents:
  - id: my.coder
    tools:
      allow: [file_read]
`,
  );
  await writeFile(join(cwd, "more.yaml"), "commands:\n  rules:\n    - { pattern: git push *, effect: deny }\n");
  database = await createServerDatabase();
});
afterAll(async () => {
  await rm(cwd, { recursive: true, force: true });
  await database.drop();
});

const run = (...argv: string[]) => runIn(cwd, [...argv, "--policy", "policy.yaml"], { env: { USER: "ann", DATABASE_URL: database.url } });

test("says in which file and line the rule stands, of an included file too", async () => {
  const { out } = await run("why", "exec", "--input", '{"command": "git push"}');
  expect(out).toContain("platform.commands.rules[0] is at more.yaml:3:7");
  const json = JSON.parse((await run("why", "file_write", "--json")).out);
  expect(json.places).toEqual({ "tenant.tools.ask[0]": { file: "policy.yaml", line: 5, column: 18 } });
});

test("names no place for what no file says", async () => {
  expect((await run("why", "exec", "--input", '{"command": "ls"}')).out).not.toContain(" is at ");
});

test("answers for another agent, and list does", async () => {
  const { out } = await run("why", "exec", "--agent", "my.coder");
  expect(out).toMatch(/Denied: .*\n {2}rule: agents\.my\.coder\.tools\.allow/);
  expect(out).toContain("agents.my.coder.tools.allow is at policy.yaml:9:7");
  expect((await run("list", "--agent", "my.coder", "--json")).out).not.toContain('"exec"');
  expect((await run("list", "--json")).out).toContain('"exec"');
});

test("input that does not fit is a mistake of usage", async () => {
  expect(await run("why", "exec", "--input", '{"comand": "ls"}')).toMatchObject({
    code: exitCodes.usage,
    out: expect.stringContaining('Did you mean "command"?'),
  });
});

test("does not send whoever asks why to ask why", async () => {
  const { err } = await run("why", "file_wirte");
  expect(err).toContain('Did you mean "file_write"?');
  expect(err).not.toContain("toolwright why");
});
