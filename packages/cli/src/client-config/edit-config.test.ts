import { describe, expect, test } from "vitest";
import { editConfig, readEntry } from "./edit-config.ts";
import { jsonConfig } from "./json-config.ts";
import { tomlConfig } from "./toml-config.ts";

const entry = { command: "/node", args: ["a b", "mcp"], required: true, env: { STATE: "/s" } };
const toml = { section: "mcp_servers", name: "toolwright" };
const json = { section: "mcpServers", name: "toolwright" };
const tricky = `# mine
model = "m" # the best
notice = """
[mcp_servers.toolwright]
a \\"""quoted\\""" b"""
path = '''
[mcp_servers.toolwright]'''
pairs = [
  ["a", "b"], # [x]
  ["c"],
]

[mcp_servers.other] # keep
command = "x"

# about projects
[projects."/a [b]"]
trust_level = "trusted"
big = 9223372036854775807
when = 2026-01-01T00:00:00Z
`;

describe("TOML", () => {
  test.each([
    ["nothing", ""],
    ["other tables, comments, and texts that look like tables", tricky],
    ["no line feed at the end", 'a = 1\n[b]\nc = "d"'],
    ["lines that end in CR LF", "a = 1\r\n\r\n[b]\r\nc = 2\r\n"],
    ["arrays of tables", "[[hooks]]\nname = 1\n[[hooks]]\nname = 2\n"],
  ])("a file with %s gets the entry behind what it has", (_, text) => {
    const after = editConfig(tomlConfig, { file: "f", text }, { ...toml, entry });
    expect(after.startsWith(text)).toBe(true);
    expect(readEntry(tomlConfig, { file: "f", text: after }, toml).entry).toEqual(entry);
    const back = editConfig(tomlConfig, { file: "f", text: after }, { ...toml, entry: undefined });
    expect(back.trimEnd()).toBe(text.trimEnd());
  });

  test("an old entry is replaced where it stands, and the comments of the next table stay", () => {
    const text =
      'a = 1\n["mcp_servers" . toolwright]\nurl = "old" # gone\n[mcp_servers.toolwright.env]\nA = "b"\n\n# of z\n[z]\nb = 2\n[mcp_servers.toolwright.tools.x]\nc = 1\n';
    const after = editConfig(tomlConfig, { file: "f", text }, { ...toml, entry: { url: "new" } });
    expect(after).toBe('a = 1\n[mcp_servers.toolwright]\nurl = "new"\n\n# of z\n[z]\nb = 2\n');
  });

  test.each([
    ["in one line", 'mcp_servers = { toolwright = { url = "old" } }\n'],
    ["with dots", '[mcp_servers]\ntoolwright.url = "old"\n'],
  ])("an entry that is written %s is left to its owner", (_, text) => {
    expect(() => editConfig(tomlConfig, { file: "/c.toml", text }, { ...toml, entry })).toThrow(
      /\/c\.toml holds mcp_servers\.toolwright .*by hand/,
    );
  });
});

describe("JSON", () => {
  test("comments, order, indentation and other members stay", () => {
    const text = '// mine\n{\n\t"a": [1, 2], // two\n\t"mcpServers": {\n\t\t"other": { "command": "x" }, // last\n\t},\n}\n';
    const after = editConfig(jsonConfig, { file: "f", text }, { ...json, entry });
    const added = after.replace(text.slice(0, text.indexOf(", // last")), "").replace(text.slice(text.indexOf(", // last")), "");
    expect(added).toMatch(/^,\n\t\t"toolwright": \{\n\t\t\t"command": "\/node",[\s\S]*\n\t\t\}$/);
    expect(readEntry(jsonConfig, { file: "f", text: after }, json).entry).toEqual(entry);
  });

  test.each([
    ["nothing", ""],
    ["no servers", '{\n  "theme": "dark"\n}\n'],
    ["one line", '{"theme": "dark"}'],
    ["an empty object", "{}"],
    ["an empty object on two lines", "{\n}\n"],
    ["a byte order mark", '\uFEFF{"theme": "dark"}'],
    ["lines that end in CR LF", '{\r\n  "theme": "dark"\r\n}\r\n'],
  ])("a file with %s is as it was after the entry went", (_, text) => {
    const after = editConfig(jsonConfig, { file: "f", text }, { ...json, entry });
    expect(after).not.toMatch(text.includes("\r\n") ? /[^\r]\n/ : /\r/);
    const back = editConfig(jsonConfig, { file: "f", text: after }, { ...json, entry: undefined, dropEmpty: true });
    expect(readEntry(jsonConfig, { file: "f", text: back }, json)).toEqual({ hasSection: false, entry: undefined });
    const isEmpty = /^[{}\s]*$/.test(text);
    expect(isEmpty ? back.replace(/\s/g, "") : back.trim()).toBe(isEmpty ? "{}" : text.trim());
  });
});

describe("a file that cannot be edited is refused, with its place", () => {
  test.each([
    ["JSON that breaks off", jsonConfig, json, '{\n  "a": {', /c cannot be read: .*expected in line 2, column \d+\. Nothing was written/],
    ["JSON with a conflict", jsonConfig, json, "<<<<<<< mine\n{}\n", /line 1/],
    ["a list", jsonConfig, json, "[]", /does not hold an object/],
    ["servers that are a list", jsonConfig, json, '{"mcpServers": []}', /"mcpServers" in c is not a list of servers by name/],
    ["servers that are null", jsonConfig, json, '{"mcpServers": null}', /"mcpServers" in c/],
    ["the same member twice", jsonConfig, json, '{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}', /by hand/],
    ["TOML that breaks off", tomlConfig, toml, "a = \n", /c cannot be read: .* in line 1, column 5/],
    ["a table that is there twice", tomlConfig, toml, "[a]\n[a]\n", /line 2/],
    ["servers that are a text", tomlConfig, toml, 'mcp_servers = "x"\n', /"mcp_servers" in c/],
  ])("%s", (...[, format, place, text, words]) => {
    const edit = () => {
      readEntry(format, { file: "c", text }, place);
      editConfig(format, { file: "c", text }, { ...place, entry });
    };
    expect(edit).toThrow(words);
  });
});
