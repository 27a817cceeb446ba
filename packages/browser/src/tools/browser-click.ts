import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { changedPage, changeIsForeign, ref, showChange, snapshotId, tell } from "./shared.ts";

/** Clicks an element of the open page. */
export const browserClick = defineTool({
  name: "browser_click",
  title: "Click in browser",
  group: "browser",
  icon: "pointer",
  description:
    "Click an element of the open page, by its ref in the last snapshot. A click may send, buy or delete: read the element's name first.",
  input: z.object({ snapshotId, ref, double: z.boolean().nullish().describe("Click twice. Default: false.") }),
  output: changedPage,
  permission: "browser.tenant.act",
  effects: { browser: "act" },
  visibility: { feature: "browser" },
  limits: { timeoutMs: 120_000 },
  foreign: changeIsForeign,
  examples: [{ label: "Click a button", input: { snapshotId: "snapshot_1", ref: "e12" } }],
  aliases: { element: "ref", target: "ref", snapshot: "snapshotId", doubleClick: "double" },
  ask: ({ ref: element }, say) => say`Click ${element} on the page that is open in the browser?`,
  async run({ snapshotId: id, ref: element, double }, { browser, note }) {
    return tell(await browser.act({ kind: "click", snapshotId: id, ref: element, double: double ?? false }), { note });
  },
  toModel: showChange,
});
