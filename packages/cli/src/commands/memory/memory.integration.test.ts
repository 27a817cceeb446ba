import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeAll(async () => {
  database = await createServerDatabase();
  root = mkdtempSync(join(tmpdir(), "toolwright-memory-"));
});
afterAll(async () => {
  rmSync(root, { recursive: true, force: true });
  await database.drop();
});

/** Each command opens the store anew, as another process does. */
const run = (argv: readonly string[]) => runIn(root, argv, { env: { DATABASE_URL: database.url } });

it("what memory_save keeps is found by memory_search in a later process, and shown as a person's", async () => {
  const saved = await run(["call", "memory_save", "--content", "Deploys go out on Tuesdays", "--key", "deploy-day", "--json"]);
  expect(JSON.parse(saved.out)).toMatchObject({
    status: "done",
    output: { key: "deploy-day", version: 1, created: true, similarTo: [], trust: "person" },
  });
  await run(["call", "memory_save", "--content", "The office is in            Lisbon.\u200b"]);
  const found = JSON.parse((await run(["call", "memory_search", "--query", "which day do deploys go out?", "--json"])).out);
  expect(found.output.entries[0]).toMatchObject({
    key: "deploy-day",
    content: "Deploys go out on Tuesdays",
    trust: "person",
    category: "core",
  });
  expect(found.output.ranking.parts).toContain("text");
  expect((await run(["call", "memory_search", "--query", "deploys"])).out).toContain("> Deploys go out on Tuesdays");
});

it("toolwright memory shows, corrects, exports, imports and removes entries of a person and of agents", async () => {
  expect((await run(["memory", "list"])).out).toMatch(/deploy-day +core +person +\d{4}-\d\d-\d\d +Deploys go out on Tuesdays/);
  const words = ["Deploys", "go", "out", "on", "Fridays", "--key", "deploy-day"];
  expect((await run(["memory", "save", ...words])).out).toBe("deploy-day (version 2)\n");
  const { out } = await run(["memory", "show", "deploy-day"]);
  expect(out).toMatch(
    /^deploy-day: core, person\n\nVersion 2, .*\nDeploys go out on Fridays\n\nVersion 1, .*\nDeploys go out on Tuesdays\n$/,
  );
  const exported = await run(["memory", "export"]);
  expect(exported.out).toContain('"The office is in            Lisbon.\\u200b"');
  expect(exported.out.trim().split("\n")).toHaveLength(2);
  writeFileSync(join(root, "memories.jsonl"), exported.out);
  const toAgent = ["memory", "import", "memories.jsonl", "--agent", "assistant"];
  expect((await run(toAgent)).err).toBe("Saved 2; 0 were there already.\n");
  expect((await run(toAgent)).err).toBe("Saved 0; 2 were there already.\n");
  const listed = async (...more: string[]) =>
    JSON.parse((await run(["memory", "list", "--json", ...more])).out).map(
      ({ version: _, createdAt: __, ...rest }: Record<string, unknown>) => rest,
    );
  expect(await listed("--agent", "assistant")).toEqual(await listed());
  expect((await run(["memory", "owners"])).out).toMatch(/agent:assistant +2\nuser:\S+ +2\n/);
  expect((await run(["memory", "remove", "deploy-day"])).err).toBe("Removed deploy-day (2 versions).\n");
  expect((await run(["memory", "show", "deploy-day"])).err).toContain('no memory with the key "deploy-day"');
  expect((await run(["memory", "show", "deploy-day", "--agent", "assistant"])).code).toBe(exitCodes.done);
  const both = await run(["memory", "list", "--agent", "a", "--user", "b"]);
  expect([both.code, both.err]).toEqual([exitCodes.usage, "Leave --user out, or the other option: they say the same.\n"]);
  expect((await run(["memory", "import", "none.jsonl"])).err).toMatch(
    /none\.jsonl cannot be read: .*\(ENOENT\)\. Name a file that memory export has written\.$/m,
  );
});

it("an import of more than one operation takes is done in parts, and a line that does not fit is named by its number before any is saved", async () => {
  const lines = Array.from({ length: 501 }, (_, at) => JSON.stringify({ key: `fact-${at}`, content: `Fact ${at}.`, category: "core" }));
  writeFileSync(join(root, "many.jsonl"), `${lines.slice(0, 500).join("\n")}\n{"key": "lost", "content": "No category."}\n`);
  const toAgent = ["--agent", "counter"];
  expect(await run(["memory", "import", "many.jsonl", ...toAgent])).toMatchObject({
    ...{ code: exitCodes.usage, out: "" },
    err: expect.stringMatching(/^many\.jsonl: 501\.category: missing: /),
  });
  expect((await run(["memory", "list", ...toAgent])).out).toContain("There are no memories.");
  const long = Array.from({ length: 300 }, (_, at) => ({ key: `long-${at}`, content: "x".repeat(8_000), category: "core" }));
  const lost = { key: "lost", content: "No category." };
  writeFileSync(join(root, "long.json"), JSON.stringify([...long, lost]));
  expect((await run(["memory", "import", "long.json", ...toAgent])).err).toMatch(/^long\.json: 301\.category: missing: /);
  writeFileSync(join(root, "many.json"), `[${lines.join(",\n")}]`);
  expect(JSON.parse((await run(["memory", "import", "many.json", ...toAgent, "--json"])).out)).toEqual({ saved: 501, unchanged: 0 });
  writeFileSync(join(root, "many.txt"), "No JSON.\n");
  expect(await run(["memory", "import", "many.txt"])).toMatchObject({
    ...{ code: exitCodes.usage, err: "many.txt holds no lines of JSON. Name a file that memory export has written.\n" },
  });
});
