import { defineTool, fail } from "@toolwright/engine";
import { z } from "zod";
import { changedPage, changeIsForeign, ref, showChange, snapshotId, tell } from "./shared.ts";

/** Fills a field of the open page. */
export const browserType = defineTool({
  name: "browser_type",
  title: "Type in browser",
  group: "browser",
  icon: "keyboard",
  description:
    "Fill a field of the open page; what was in it is replaced. Give text, or for a password the name of a stored secret in credential: " +
    "it is typed where an operator permitted it, and you never see it.",
  input: z.object({
    snapshotId,
    ref,
    text: z.string().max(100_000).nullish().describe("Text for the field."),
    credential: z.string().min(1).max(200).nullish().describe("Name of a stored secret, in place of text."),
    submit: z.boolean().nullish().describe("Press Enter after it. Default: false."),
  }),
  output: changedPage,
  permission: "browser.tenant.act",
  effects: { browser: "act" },
  visibility: { feature: "browser" },
  limits: { timeoutMs: 60_000 },
  foreign: changeIsForeign,
  examples: [
    { label: "Fill a field and send it", input: { snapshotId: "snapshot_1", ref: "e7", text: "blue shoes", submit: true } },
    { label: "Type a stored password", input: { snapshotId: "snapshot_1", ref: "e9", credential: "SHOP_PASSWORD" } },
  ],
  aliases: { element: "ref", target: "ref", snapshot: "snapshotId", value: "text", content: "text", secret: "credential" },
  ask: ({ ref: element, text, credential }, say) =>
    credential == null
      ? say`Type ${text ?? ""} into ${element} of the page that is open in the browser?`
      : say`Type the secret ${credential} into ${element} of the page that is open in the browser?`,
  async run({ snapshotId: id, ref: element, text, credential, submit }, { browser, note }) {
    if ((text == null) === (credential == null)) return fail("one_of_two", "Give either text or credential.");
    const field = { snapshotId: id, ref: element, submit: submit ?? false };
    const action =
      credential == null
        ? ({ kind: "type", ...field, text: text as string } as const)
        : ({ kind: "credential", ...field, name: credential } as const);
    return tell(await browser.act(action), { note });
  },
  toModel: showChange,
});
