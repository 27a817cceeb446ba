import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { judgeCorpus } from "../../scripts/corpus.ts";

const script = fileURLToPath(new URL("../../scripts/corpus.ts", import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** As the program does, in this process: starting one takes longer than judging. */
async function judge(kind: string, lines: readonly unknown[], ...flags: readonly string[]) {
  const said = { stdout: "", stderr: "" };
  const status = await judgeCorpus([kind, writeCases(lines), ...flags], {
    log: (text: string) => {
      said.stdout += `${text}\n`;
    },
    error: (text: string) => {
      said.stderr += `${text}\n`;
    },
  });
  return { status, ...said };
}

function start(...words: readonly string[]) {
  return spawnSync(process.execPath, ["--conditions=@toolwright/source", script, ...words], { encoding: "utf8" });
}

function writeCases(lines: readonly unknown[]): string {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-corpus-"));
  folders.push(folder);
  const file = join(folder, "cases.jsonl");
  writeFileSync(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return file;
}

const listing = { id: "a", allow: ["ls *"], command: "ls -l", expect: "allow", why: "covered" };
const path = { id: "p", cat: "benign", setup: [{ file: ["$W/a", "x"] }], op: "read", path: "a", expect: "allow", why: "a file", tags: [] };

test.each([
  ["exec", listing],
  ["paths", path],
  ["ssrf", { id: "u", cat: "ipv4", url: "http://127.0.0.1/", expect: "deny", why: "loopback" }],
])("a corpus of kind %s is judged by the product's code", async (kind, one) => {
  expect(await judge(kind, [one])).toMatchObject({ status: 0, stdout: expect.stringContaining("1 cases: 1 as listed, 0 wrong") });
});

test("variables of a case are set while it runs", async () => {
  const dns = { "example.com": ["93.184.216.34"] };
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0", HTTPS_PROXY: "http://127.0.0.1:9" };
  const assert = "proxy variables ignored; certificate is checked";
  const one = { id: "u", cat: "request", url: "https://example.com/", expect: "allow", why: "ignored", dns, env, assert };
  expect(await judge("ssrf", [one])).toMatchObject({ status: 0, stdout: expect.stringContaining("1 as listed") });
});

test.each([
  ["paths", { ...path, after: { glows: "$W/a" } }, "after-rule that is not known here: glows"],
  ["ssrf", { id: "u", cat: "ipv4", url: "http://127.0.0.1/", expect: "deny", why: "loopback", mood: "good" }, "not known here: mood"],
])("a form of %s that is not known is no silent success", async (kind, one, message) => {
  const { status, stdout } = await judge(kind, [one]);
  expect(status).toBe(1);
  expect(stdout).toMatch(/WRONG +[pu] \(line 1\) {2}expected \w+, got thrown/);
  expect(stdout).toContain(message);
});

test("a URL that is no text is refused", async () => {
  expect(await judge("ssrf", [{ id: "u", cat: "parse", url: 7, expect: "deny", why: "a number" }])).toMatchObject({ status: 0 });
});

test("a wrong answer is printed with what was expected and why, and fails", async () => {
  const { status, stdout } = await judge("exec", [listing, { ...listing, id: "b", expect: "ask" }]);
  expect(status).toBe(1);
  expect(stdout).toMatch(/WRONG +b \(line 2\) +expected ask, got allow\n.*covered/);
});

test("a wrong answer to a case that is tagged stretch or policy is said and does not fail", async () => {
  const { status, stdout } = await judge("exec", [{ ...listing, allow: [], tags: ["stretch"] }], "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ wrong: 0, tolerated: 1, mismatches: [{ id: "a", line: 1, expected: "allow", got: "ask" }] });
});

test("where asking is expected denying will do, unless the case is a stretch", async () => {
  const unreadable = { ...listing, command: "ls\u200b", expect: "ask" };
  expect(JSON.parse((await judge("exec", [unreadable], "--json")).stdout)).toMatchObject({ asListed: 1 });
  expect(JSON.parse((await judge("exec", [{ ...unreadable, tags: ["stretch"] }], "--json")).stdout)).toMatchObject({ tolerated: 1 });
});

test.each([
  ["is no JSON", "{", /cases\.jsonl:2: the line is not valid JSON/],
  ["is no object", "[]", /cases\.jsonl:2: the line is no JSON object/],
  ["lacks a field", { id: "b", expect: "ask" }, /cases\.jsonl:2: the field "allow" is missing/],
  ["expects an unknown answer", { ...listing, expect: "maybe" }, /cases\.jsonl:2: the field "expect" must be one of allow, ask, deny/],
])("a line that %s is named by its number", async (_name, line, message) => {
  expect(await judge("exec", [listing, line])).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
});

test("the program prints the report and ends with its code", () => {
  const wrong = start("exec", writeCases([{ ...listing, expect: "ask" }]));
  expect(wrong).toMatchObject({ status: 1, stdout: expect.stringMatching(/WRONG +a .*\n[\s\S]*1 cases: 0 as listed, 1 wrong/) });
  expect(start("exec")).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("Usage: npm run corpus") });
});
