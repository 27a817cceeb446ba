import { defineTool, isFailure } from "@toolwright/engine";
import { z } from "zod";
import { readFrom, ref } from "./shared.ts";

/** Bytes of an image that model providers take. */
const mostShown = 3_750_000;

/** Makes a picture of the open page. */
export const browserScreenshot = defineTool({
  name: "browser_screenshot",
  title: "Screenshot of page",
  group: "browser",
  icon: "photo",
  description:
    "Make a picture of the open page, for what only the eye sees: layout, charts. To read or act use browser_snapshot, which is cheaper.",
  input: z.object({
    ref: ref.nullish().describe("Ref of one element. Default: what the window shows."),
    full: z.boolean().nullish().describe("The whole page, down to 8,000 pixels. Default: false."),
  }),
  output: z.object({
    url: z.string(),
    artifact: z.object({ id: z.string(), name: z.string(), mediaType: z.string(), size: z.int() }).describe("The PNG image."),
  }),
  permission: "browser.tenant.read",
  effects: { browser: "read" },
  visibility: { feature: "browser" },
  limits: { timeoutMs: 60_000 },
  foreign: { kind: "browser", sources: ({ url }) => readFrom(url), members: [] },
  examples: [{ label: "Look at the page", input: {} }],
  aliases: { element: "ref", target: "ref", fullPage: "full" },
  ask: (_input, say) => say`Make a picture of the page that is open in the browser?`,
  async run({ ref: element, full }, { browser, show, note }) {
    const taken = await browser.screenshot({ ref: element ?? undefined, full: full ?? false });
    if (isFailure(taken)) return taken;
    const { url, bytes, artifact } = taken;
    if (bytes.byteLength <= mostShown) show({ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: artifact.mediaType });
    else note(`The picture has ${bytes.byteLength} bytes, more than models take: it is only kept as an artifact.`);
    return { url, artifact: { id: artifact.id, name: artifact.name, mediaType: artifact.mediaType, size: artifact.size } };
  },
});
