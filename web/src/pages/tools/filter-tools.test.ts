import { expect, test } from "vitest";
import { choicesOf, filterTools, oneLine } from "./filter-tools.ts";

type Tool = Parameters<typeof filterTools>[0][number];
const tool = (name: string, more: object = {}) =>
  ({
    hints: { readOnlyHint: false, destructiveHint: true },
    name,
    title: name,
    group: "fs",
    description: "Does a thing.",
    origin: { kind: "builtin" },
    presentation: {},
    ...more,
  }) as unknown as Tool;
const tools = [
  tool("file_read", { description: "Read lines of a file.", hints: { readOnlyHint: true } }),
  tool("web_fetch", { group: "net", description: "Read a web page as text.", decision: { effect: "ask" } }),
  tool("pages", { title: "Web pages", group: "net", permission: "net.use" }),
  tool("mail", { description: "Sends.", hints: {}, lacks: { missingSecrets: ["MAIL_KEY"], reason: "Set it." } }),
];
const names = (found: readonly Tool[]) => found.map(({ name }) => name);

test.each([
  { name: "nothing", filters: {}, found: ["file_read", "web_fetch", "pages", "mail"] },
  { name: "a name first, then a title", filters: { q: "web" }, found: ["web_fetch", "pages"] },
  { name: "every word", filters: { q: "web text" }, found: ["web_fetch"] },
  { name: "words in any case", filters: { q: "READ" }, found: ["file_read", "web_fetch"] },
  { name: "a word that is nowhere", filters: { q: "nowhere" }, found: [] },
  { name: "a group", filters: { group: "net" }, found: ["web_fetch", "pages"] },
  { name: "a decision", filters: { decision: "asks" }, found: ["web_fetch"] },
  { name: "a kind", filters: { kind: "reads" }, found: ["file_read"] },
  { name: "what is misconfigured", filters: { decision: "misconfigured" }, found: ["mail"] },
  { name: "a permission and words", filters: { permission: "net.use", q: "web" }, found: ["pages"] },
])("by $name", ({ filters, found }) => {
  expect(names(filterTools(tools, filters))).toEqual(found);
});

test("choices are what tools have, once each", () => {
  expect([choicesOf(tools, "group"), choicesOf(tools, "kind"), choicesOf(tools, "permission"), choicesOf(tools, "decision")]).toEqual([
    ["fs", "net"],
    ["changes", "destroys", "reads"],
    ["net.use"],
    ["asks", "misconfigured"],
  ]);
});

test.each([
  { description: "First. Second.", line: "First." },
  { description: "Version 1.2 of it\nmore", line: "Version 1.2 of it" },
  { description: "", line: "" },
])("the first sentence of '$description'", ({ description, line }) => {
  expect(oneLine({ description })).toBe(line);
});
