import { describe, expect, test } from "vitest";
import { harmlessDotNames, removableDotNames } from "./harmless-dot-names.ts";
import { obeyedPlainNames } from "./obeyed-plain-names.ts";
import { protectionOf } from "./path-text.ts";

const entries = [...harmlessDotNames, ...removableDotNames, ...obeyedPlainNames];

describe("names that tools obey when a folder is opened (R-FS-7)", () => {
  test.each(entries.map((entry) => [entry.names, entry] as const))(
    "%s is written as names are compared, with a source",
    (_names, entry) => {
      expect(entry.names).toBe(entry.names.toLowerCase());
      expect(entry.names.split(" ").filter((name) => !/^[^\s/]+(?:\/[^\s/]+)*$/.test(name))).toEqual([]);
      expect(entry.reason).toMatch(/^[A-Z].*\.$/);
      expect(URL.parse(entry.source)?.protocol).toBe("https:");
    },
  );

  test("every name of the lists is judged by its list, at the root and in a folder", () => {
    const examples = (list: typeof entries) =>
      list.flatMap(({ names }) => names.split(" ").map((name) => name.replace("/**", "/a.txt").replaceAll("*", "a")));
    for (const name of examples([...harmlessDotNames])) {
      expect([name, protectionOf(name, "write"), protectionOf(`a/${name}`, "delete")]).toEqual([name, "none", "none"]);
    }
    for (const name of examples([...removableDotNames])) {
      expect([name, protectionOf(name, "write"), protectionOf(`a/${name}`, "delete")]).toEqual([name, "ask", "none"]);
    }
    for (const name of examples([...obeyedPlainNames])) {
      const given = [name, name.toUpperCase(), `packages/a/${name}`, `${name} .`];
      expect([name, ...given.map((path) => protectionOf(path, "write"))]).toEqual([name, "ask", "ask", "ask", "ask"]);
      expect(protectionOf(name, "read")).toBe("none");
    }
  });

  test.each([
    ["a dot name that nobody has heard of", ".never-seen-before"],
    ["a dot folder that nobody has heard of", "a/.never-seen/b/c.md"],
    ["a harmless name as a folder", ".gitignore/hooks.json"],
    ["an obeyed folder below a harmless one", ".github/ISSUE_TEMPLATE/.zed/settings.json"],
    ["an obeyed file beside harmless ones", ".changeset/config.json"],
    ["a folder of a harmless form that holds a program", ".github/hooks/pull_request_template.md"],
    ["a full-width dot", "\uff0ezed/settings.json"],
    ["a one-dot leader", "\u2024vscode/tasks.json"],
    ["a letter that is two in upper case", "a/.\u00dfh-config"],
    ["upper case", ".DEVCONTAINER/DEVCONTAINER.JSON"],
    ["a dot and a blank behind", ".zed. /settings.json"],
    ["a stream", ".zed::$INDEX_ALLOCATION/settings.json"],
    ["a climb into it", "src/../.roo/mcp.json"],
    ["a short form of Windows", "DEVCON~1/devcontainer.json"],
    ["a short form with an extension", "MISE~1.TOM"],
  ])("%s asks", (_name, path) => {
    expect(protectionOf(path, "write")).toBe("ask");
    expect(protectionOf(path, "delete")).toBe("ask");
  });

  test.each([
    "src/a.ts",
    "..data/x",
    "README.md",
    "package.json",
    "Makefile",
    "docs/justfile.md",
    "src/mise.ts",
    "data/tasks.json",
    "a~1b/c.txt",
    "conftest.py",
  ])("%s is written unasked", (path) => {
    expect(protectionOf(path, "write")).toBe("none");
  });
});
