import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listCommands } from "../packages/cli/src/program.ts";
import { createTestIo } from "../packages/cli/test/test-io.ts";
import { root } from "./architecture/source-files.ts";

const page = readFileSync(join(root, "docs/guide/command-line.md"), "utf8");

/** The rows of the table under this heading, first cells only. */
function firstCells(heading: string): readonly string[] {
  const rows = page.split("\n").slice(page.split("\n").findIndex((line) => line.startsWith(`| ${heading} `)) + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith("|")),
    )
    .map((line) => line.split("|")[1] ?? "");
}

/** A cell names commands in code: one, or several of a group with commas between. */
function commandsIn(cell: string): readonly string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code.replace(/\s[<[-].*$/, "")).flatMap((code) => {
    const [first = "", ...others] = code.split(", ");
    const group = first.split(" ").slice(0, -1).join(" ");
    return [first, ...others.map((name) => `${group} ${name}`)];
  });
}

test("the reference lists every command of --help, and the guide at least each group", () => {
  const commands = listCommands(createTestIo("/").io).map(({ words }) => words);
  const helped = commands.map((words) => words.join(" "));
  const reference = readFileSync(join(root, "docs/reference/commands.md"), "utf8");
  const listed = Array.from(reference.matchAll(/^### `toolwright ([a-z -]+?)(?: [<[].*)?`$/gm), ([, words = ""]) => words.trim());
  expect(helped.length).toBeGreaterThan(50);
  expect(listed.toSorted()).toEqual(helped.toSorted());
  const guided = firstCells("command").flatMap(commandsIn);
  expect(guided.filter((command) => !helped.includes(command))).toEqual([]);
  const groupOf = (command: string) => command.split(" ")[0] ?? "";
  expect([...new Set(guided.map(groupOf))].toSorted()).toEqual([...new Set(commands.map(([first = ""]) => first))].toSorted());
});

test("the guide and --help list the same variables", () => {
  const namesIn = (text: string) => [...new Set(text.match(/TOOLWRIGHT_[A-Z_]*[A-Z]|DATABASE_URL/g))].toSorted();
  const helped = namesIn(readFileSync(join(root, "packages/cli/src/program.ts"), "utf8"));
  const settings = page.slice(page.indexOf("| setting "), page.indexOf("## Which tools load"));
  expect(namesIn(settings)).toEqual(helped);
});
