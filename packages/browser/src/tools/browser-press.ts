import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { changedPage, changeIsForeign, ref, showChange, snapshotId, tell } from "./shared.ts";

/** Presses a key on the open page. */
export const browserPress = defineTool({
  name: "browser_press",
  title: "Press key in browser",
  group: "browser",
  icon: "keyboard",
  description: "Press a key on the open page, such as Enter, Escape, ArrowDown or Control+A. To fill a field use browser_type.",
  input: z.object({
    snapshotId,
    ref: ref.nullish().describe("Ref of the element that gets the key. Default: the one with the focus."),
    key: z.string().min(1).max(50).describe("Name of the key, or a character."),
  }),
  output: changedPage,
  permission: "browser.tenant.act",
  effects: { browser: "act" },
  visibility: { feature: "browser" },
  limits: { timeoutMs: 60_000 },
  foreign: changeIsForeign,
  examples: [{ label: "Close a dialog", input: { snapshotId: "snapshot_1", key: "Escape" } }],
  aliases: { element: "ref", target: "ref", snapshot: "snapshotId", keys: "key" },
  ask: ({ key }, say) => say`Press ${key} on the page that is open in the browser?`,
  async run({ snapshotId: id, ref: element, key }, { browser, note }) {
    return tell(await browser.act({ kind: "press", snapshotId: id, ref: element ?? undefined, key }), { note });
  },
  toModel: showChange,
});
