import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let cwd: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "toolwright-tenant-policy-"));
  await mkdir(join(cwd, "workspace"));
  database = await createServerDatabase();
  await command("tenants", "create", "acme");
});
afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
  await database.drop();
});

const write = (text: string) => writeFile(join(cwd, "acme.yaml"), text);
const command = (...argv: string[]) => runIn(cwd, argv, { env: { DATABASE_URL: database.url } });
const run = (...argv: string[]) => command("policy", ...argv, "--tenant", "acme");

test("a tenant's policy is put, decides for that tenant alone, is compared and taken back", async () => {
  await write("tools: { deny: [file_write] }\n");
  expect(await run("put", "acme.yaml", "--note", "Nobody writes")).toMatchObject({
    code: exitCodes.done,
    out: "The policy of acme is at revision 1: Nobody writes\n",
  });
  const why = async (...more: string[]) => (await command("why", "file_write", "--input", '{"path":"a","content":"b"}', ...more)).out;
  expect(await why("--tenant", "acme")).toContain("tenant.tools.deny[0]");
  expect(await why()).not.toContain("tenant.tools.deny[0]");

  await write("tools: { deny: [file_delete] }\nagents: [{ id: helper, autonomy: read_only }]\n");
  expect((await run("put", "acme.yaml", "--note", "Writing again", "--revision", "1", "--json")).out).toContain('"revision": 2');
  expect((await run("diff")).out).toBe(
    [
      '- tools.deny: "file_write"',
      '+ tools.deny: "file_delete"',
      '+ agents: [{"id":"helper","autonomy":"read_only"}]',
      "From revision 1 to 2: 3 differences.",
      "",
    ].join("\n"),
  );
  expect(await run("lint")).toMatchObject({
    code: exitCodes.failed,
    out: 'revision 2: warning: agents[0]: there is no agent "helper" (create it, or remove the document)\n1 warning, 0 hints.\n',
  });
  await command("agents", "create", "helper", "--tenant", "acme");
  expect(await run("lint")).toMatchObject({ code: exitCodes.done });

  expect((await run("revert", "1")).out).toBe("The policy of acme is at revision 3: Revert to revision 1\n");
  const { out } = await run("versions");
  expect(out).toMatch(/REVISION {2}WHEN .*WHO .*WHY\n3 .*Revert to revision 1\n2 .*Writing again\n1 .*Nobody writes\n/);
}, 60_000);

test("what is not valid, was changed meanwhile or is not there is refused, and nothing is written", async () => {
  const refused = async (words: RegExp, ...argv: string[]) => {
    const { code, err } = await run(...argv);
    expect(err).toMatch(words);
    expect(code).not.toBe(exitCodes.done);
  };
  await write("tols: {}\n");
  await refused(/tols is not a member \(did you mean "tools"\?\)/, "put", "acme.yaml", "--note", "Try");
  await write("tools: {\n");
  await refused(/acme\.yaml:\d+:\d+: /, "put", "acme.yaml", "--note", "Try");
  await refused(/gone\.yaml cannot be read/, "put", "gone.yaml", "--note", "Try");
  await write("tools: { deny: [file_write] }\n");
  await refused(/--note/, "put", "acme.yaml");
  await refused(/changed from revision 4, but the tenant has none now/, "put", "acme.yaml", "--note", "Try", "--revision", "4");
  await refused(/no policy of revision 7/, "revert", "7");
  await refused(/is "last", which is not a number\. See the revisions with: toolwright policy versions --tenant acme/, "revert", "last");
  expect((await run("versions")).out).toContain("acme has no policy of its own.");
}, 60_000);
