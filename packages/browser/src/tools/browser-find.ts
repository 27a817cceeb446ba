import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { readFrom } from "./shared.ts";

/** Finds a text on the open page. */
export const browserFind = defineTool({
  name: "browser_find",
  title: "Find on open page",
  group: "browser",
  icon: "search",
  description:
    "Find a text on the page that is open, also in parts that no snapshot showed. The answer has the elements around it, with refs.",
  input: z.object({ text: z.string().min(1).max(500).describe("Text to find; case does not matter.") }),
  output: z.object({
    url: z.string(),
    matches: z.array(z.string()).describe("Elements that hold the text, at most 20."),
    snapshotId: z.string().describe("Goes with the refs."),
    more: z.boolean().describe("True when there are others."),
  }),
  permission: "browser.tenant.read",
  effects: { browser: "read" },
  visibility: { feature: "browser" },
  limits: { timeoutMs: 60_000 },
  foreign: { kind: "browser", sources: ({ url }) => readFrom(url), members: ["matches"] },
  examples: [{ label: "Find a price", input: { text: "Total" } }],
  aliases: { query: "text", q: "text", pattern: "text" },
  ask: ({ text }, say) => say`Find ${text} on the page that is open in the browser?`,
  run: ({ text }, { browser }) => browser.find(text),
  toModel: ({ url, matches, snapshotId, more }) => [
    {
      type: "text",
      text: `${url}\nsnapshotId: ${snapshotId}\nFound: ${matches.length}${more ? ", and more" : ""}\n\n${matches.join("\n\n")}`,
    },
  ],
});
