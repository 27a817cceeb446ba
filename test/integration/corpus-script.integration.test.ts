import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../scripts/corpus.ts", import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function judge(kind: string, lines: readonly unknown[], ...flags: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-corpus-"));
  folders.push(folder);
  const file = join(folder, "cases.jsonl");
  writeFileSync(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return spawnSync(process.execPath, ["--conditions=@toolwright/source", script, kind, file, ...flags], { encoding: "utf8" });
}

const listing = { id: "a", allow: ["ls *"], command: "ls -l", expect: "allow", why: "covered" };
const path = { id: "p", cat: "benign", setup: [{ file: ["$W/a", "x"] }], op: "read", path: "a", expect: "allow", why: "a file", tags: [] };

test.each([
  ["exec", listing],
  ["paths", path],
  ["ssrf", { id: "u", cat: "ipv4", url: "http://127.0.0.1/", expect: "deny", why: "loopback" }],
])("a corpus of kind %s is judged by the product's code", (kind, one) => {
  expect(judge(kind, [one])).toMatchObject({ status: 0, stdout: expect.stringContaining("1 cases: 1 as listed, 0 wrong") });
});

test("variables of a case are set while it runs", () => {
  const dns = { "example.com": ["93.184.216.34"] };
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0", HTTPS_PROXY: "http://127.0.0.1:9" };
  const assert = "proxy variables ignored; certificate is checked";
  const one = { id: "u", cat: "request", url: "https://example.com/", expect: "allow", why: "ignored", dns, env, assert };
  expect(judge("ssrf", [one])).toMatchObject({ status: 0, stdout: expect.stringContaining("1 as listed") });
});

test.each([
  ["paths", { ...path, after: { glows: "$W/a" } }, "after-rule that is not known here: glows"],
  ["ssrf", { id: "u", cat: "ipv4", url: "http://127.0.0.1/", expect: "deny", why: "loopback", mood: "good" }, "not known here: mood"],
])("a form of %s that is not known is no silent success", (kind, one, message) => {
  const { status, stdout } = judge(kind, [one]);
  expect(status).toBe(1);
  expect(stdout).toMatch(/WRONG +[pu] \(line 1\) {2}expected \w+, got thrown/);
  expect(stdout).toContain(message);
});

test("a URL that is no text is refused", () => {
  expect(judge("ssrf", [{ id: "u", cat: "parse", url: 7, expect: "deny", why: "a number" }])).toMatchObject({ status: 0 });
});

test("a wrong answer is printed with what was expected and why, and fails", () => {
  const { status, stdout } = judge("exec", [listing, { ...listing, id: "b", expect: "ask" }]);
  expect(status).toBe(1);
  expect(stdout).toMatch(/WRONG +b \(line 2\) +expected ask, got allow\n.*covered/);
});

test("a wrong answer to a case that is tagged stretch or policy is said and does not fail", () => {
  const { status, stdout } = judge("exec", [{ ...listing, allow: [], tags: ["stretch"] }], "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ wrong: 0, tolerated: 1, mismatches: [{ id: "a", line: 1, expected: "allow", got: "ask" }] });
});

test("where asking is expected denying will do, unless the case is a stretch", () => {
  const unreadable = { ...listing, command: "ls\u200b", expect: "ask" };
  expect(JSON.parse(judge("exec", [unreadable], "--json").stdout)).toMatchObject({ asListed: 1 });
  expect(JSON.parse(judge("exec", [{ ...unreadable, tags: ["stretch"] }], "--json").stdout)).toMatchObject({ tolerated: 1 });
});

test.each([
  ["is no JSON", "{", /cases\.jsonl:2: the line is not valid JSON/],
  ["is no object", "[]", /cases\.jsonl:2: the line is no JSON object/],
  ["lacks a field", { id: "b", expect: "ask" }, /cases\.jsonl:2: the field "allow" is missing/],
  ["expects an unknown answer", { ...listing, expect: "maybe" }, /cases\.jsonl:2: the field "expect" must be one of allow, ask, deny/],
])("a line that %s is named by its number", (_name, line, message) => {
  expect(judge("exec", [listing, line])).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
});
