import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { ref, shownIsForeign, shownPage, showPage, tell } from "./shared.ts";

/** Reads the open page again, or more of it. */
export const browserSnapshot = defineTool({
  name: "browser_snapshot",
  title: "Read open page",
  group: "browser",
  icon: "list-tree",
  description:
    "Read the page that is open: all of it as an outline of at most 20 kB, one element by its ref, or a part that the last snapshot left out. " +
    "To look for a text use browser_find, which is shorter.",
  input: z.object({
    ref: ref.nullish(),
    part: z.int().min(1).nullish().describe("Number of a part from more. Default: the whole page."),
  }),
  output: shownPage,
  permission: "browser.tenant.read",
  effects: { browser: "read" },
  visibility: { feature: "browser" },
  limits: { timeoutMs: 60_000 },
  foreign: shownIsForeign,
  examples: [
    { label: "Read the page again", input: {} },
    { label: "Go on where it stopped", input: { part: 1 } },
  ],
  aliases: { element: "ref", target: "ref", page: "part" },
  ask: (_input, say) => say`Read the page that is open in the browser?`,
  run: async (input, { browser, note }) =>
    tell(await browser.snapshot({ ref: input.ref ?? undefined, part: input.part ?? undefined }), { note }),
  toModel: showPage,
});
