import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { changedPage, changeIsForeign, showChange, tell } from "./shared.ts";

/** Waits for the open page. */
export const browserWait = defineTool({
  name: "browser_wait",
  title: "Wait for page",
  group: "browser",
  icon: "clock",
  description: "Wait, 20 seconds at most, until a text appears on the open page or is gone; without one, until the page is quiet.",
  input: z.object({
    text: z.string().min(1).max(500).nullish().describe("Text that has to appear."),
    gone: z.string().min(1).max(500).nullish().describe("Text that has to go."),
  }),
  output: changedPage,
  permission: "browser.tenant.read",
  effects: { browser: "read" },
  visibility: { feature: "browser" },
  limits: { timeoutMs: 60_000 },
  foreign: changeIsForeign,
  examples: [{ label: "Wait for a result", input: { text: "Order placed" } }],
  aliases: { query: "text", textGone: "gone" },
  ask: (_input, say) => say`Wait for the page that is open in the browser?`,
  run: async ({ text, gone }, { browser, note }) =>
    tell(await browser.wait({ text: text ?? undefined, gone: gone ?? undefined }), { note }),
  toModel: showChange,
});
