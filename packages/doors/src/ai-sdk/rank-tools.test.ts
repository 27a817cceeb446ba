import { createEngine, defineTool } from "@toolwright/engine";
import { expect, it } from "vitest";
import { z } from "zod";
import { rankTools } from "./rank-tools.ts";

const make = (name: string, description: string, more: { group?: string; label?: string } = {}) =>
  defineTool({
    name,
    description,
    ...(more.group !== undefined && { group: more.group }),
    input: z.object({ text: z.string().describe("Text") }),
    output: z.object({ text: z.string() }),
    ...(more.label !== undefined && { examples: [{ label: more.label, input: { text: "x" } }] }),
    run: ({ text }) => ({ text }),
  });
const engine = createEngine({
  tools: [
    make("file_read", "Read a text file from the workspace."),
    make("file_write", "Write a text file into the workspace."),
    make("mail_send", "Send a message to people.", { group: "mail" }),
    make("calendar_list", "List what is planned.", { label: "All meetings of a week" }),
    make("wetter", "Zeigt das Wetter für morgen."),
  ],
});
const tools = engine.scope({ tenant: "acme", actor: { kind: "user", id: "ann" } }).list();

it.each([
  ["by name", "file_read", "file_read"],
  ["by parts of a name", "write files", "file_write"],
  ["by group", "mail", "mail_send"],
  ["by example", "meeting next week", "calendar_list"],
  ["by description, in any script", "wetter für", "wetter"],
])("finds %s", (_, query, name) => {
  expect(rankTools(query, tools)[0]?.name).toBe(name);
});

it("finds nothing without a word in common, and is the same each time", () => {
  expect(rankTools("quantum", tools)).toEqual([]);
  expect(rankTools("a file", tools)).toEqual(rankTools("a file", [...tools].reverse()));
});
