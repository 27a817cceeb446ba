import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { isOwnFrame } from "./guard-process.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

test.each([
  ["a source", `    at leave (${new URL("../stop.ts", import.meta.url).href}:3:5)`, true],
  ["a joined file beside the sources", `    at leave (${pathToFileURL(root).href}node_modules/.toolwright/1-2/main.js:3:5)`, true],
  ["a tool's file", `    at run (${pathToFileURL(root).href}tools/notes.tool.ts:3:5)`, false],
  ["an installed package", `    at run (${pathToFileURL(root).href}node_modules/left/index.js:3:5)`, false],
])("a frame of %s is known as this program or not", (_, line, expected) => {
  expect(isOwnFrame(line)).toBe(expected);
});
