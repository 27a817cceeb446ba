import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../form/json-schema.ts";
import { type WrittenCall, ways } from "./written-call.ts";

const write = (name: string, call: Partial<WrittenCall>) =>
  ways
    .find((way) => way.name === name)
    ?.write({ tool: "file_read", input: { path: "a b" }, origin: "http://127.0.0.1:7777", needsKey: false, ...call }) ?? "";

test.each([
  {
    way: "curl",
    text: `curl -sS http://127.0.0.1:7777/api/tools/file_read/call -H 'Content-Type: application/json' --data-raw '{"path":"a b"}'`,
  },
  { way: "command line", text: `toolwright call --server http://127.0.0.1:7777 file_read '{"path":"a b"}'` },
  {
    way: "TypeScript",
    text: `import { createClient } from ${JSON.stringify("@toolwright/doors/rest/client")};

const client = createClient({ url: "http://127.0.0.1:7777" });
const result = await client.call("file_read", {
  "path": "a b"
});
console.log(result);
`,
  },
])("a call as $way", ({ way, text }) => {
  expect(write(way, {})).toBe(text);
});

test("a call as MCP is its request", () => {
  expect(JSON.parse(write("MCP", {}))).toEqual({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "file_read", arguments: { path: "a b" } },
  });
});

test("where the server asks who calls, the variable of the key is named", () => {
  expect(write("curl", { needsKey: true })).toContain('-H "Authorization: Bearer $TOOLWRIGHT_KEY"');
  expect(write("TypeScript", { needsKey: true })).toContain("key: process.env.TOOLWRIGHT_KEY");
});

/** What a command gets of the text: its words and its stdin. */
function readByShell(text: string): { readonly words: readonly string[]; readonly stdin: string } {
  const script = `f() { printf '%s\\0' "$@"; case "$*" in *@-|*" -") cat;; esac; }\n${text.replace(/^(?:curl|toolwright)/, "f")}`;
  // Through stdin, which no limit of words holds for.
  const { stdout, status, stderr } = spawnSync("sh", [], { input: script, encoding: "utf8", maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(stderr);
  const words = stdout.split("\0");
  return { words: words.slice(0, -1), stdin: words.at(-1) ?? "" };
}

describe.each(["curl", "command line"])("as %s", (way) => {
  test("a shell hands over the input that was written, whatever it holds", () => {
    const key = fc.string({ unit: "binary", maxLength: 8 }).filter((name) => name !== "__proto__");
    const input = fc.dictionary(key, fc.jsonValue({ stringUnit: "binary" }), { maxKeys: 4 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(input, (wanted) => {
        expect(JSON.parse(readByShell(write(way, { input: wanted })).words.at(-1) ?? "")).toEqual(JSON.parse(JSON.stringify(wanted)));
      }),
      { numRuns: 20 },
    );
  });

  test("what one word does not hold comes on stdin", () => {
    const input = { text: "INPUT\n'".repeat(60_000) };
    expect(JSON.parse(readByShell(write(way, { input })).stdin)).toEqual(input);
  });
});

test("what nobody would see is seen, and means the same", () => {
  const hidden = ["\u202E", "\u200B", "\u0007", "\u{E0041}", "\u2028", "\uFE0F"];
  const input = { text: hidden.join("a") };
  for (const { name } of ways) for (const each of hidden) expect(write(name, { input })).not.toContain(each);
  expect(JSON.parse(write("MCP", { input })).params.arguments).toEqual(input);
});
