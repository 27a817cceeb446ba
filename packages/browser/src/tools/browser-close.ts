import { defineTool } from "@toolwright/engine";
import { z } from "zod";

/** Closes the open pages. */
export const browserClose = defineTool({
  name: "browser_close",
  title: "Close browser",
  group: "browser",
  icon: "x",
  description: "Close the pages of this session, with their logins. They close by themselves after ten minutes without use.",
  input: z.object({}),
  output: z.object({ closed: z.boolean().describe("False when none was open.") }),
  permission: "browser.tenant.read",
  effects: { browser: "read", idempotent: true },
  visibility: { feature: "browser" },
  foreign: { kind: "browser", sources: () => [] },
  examples: [{ label: "Close the pages", input: {} }],
  ask: (_input, say) => say`Close the pages that are open in the browser?`,
  run: (_input, { browser }) => browser.close(),
});
