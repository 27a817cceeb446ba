import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { changedPage, changeIsForeign, ref, showChange, snapshotId, tell } from "./shared.ts";

/** Chooses an option of a list of the open page. */
export const browserSelect = defineTool({
  name: "browser_select",
  title: "Select in browser",
  group: "browser",
  icon: "selector",
  description: "Choose an option of a select list of the open page. For menus that a page draws itself use browser_click.",
  input: z.object({ snapshotId, ref, option: z.string().max(1_000).describe("Label or value of the option.") }),
  output: changedPage,
  permission: "browser.tenant.act",
  effects: { browser: "act" },
  visibility: { feature: "browser" },
  limits: { timeoutMs: 60_000 },
  foreign: changeIsForeign,
  examples: [{ label: "Choose a country", input: { snapshotId: "snapshot_1", ref: "e5", option: "Austria" } }],
  aliases: { element: "ref", target: "ref", snapshot: "snapshotId", value: "option", values: "option" },
  ask: ({ option, ref: element }, say) => say`Choose ${option} in ${element} of the page that is open in the browser?`,
  async run({ snapshotId: id, ref: element, option }, { browser, note }) {
    return tell(await browser.act({ kind: "select", snapshotId: id, ref: element, option }), { note });
  },
  toModel: showChange,
});
