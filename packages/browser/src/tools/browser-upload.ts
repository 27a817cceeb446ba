import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { changedPage, changeIsForeign, ref, showChange, snapshotId, tell } from "./shared.ts";

const mostBytes = 10_000_000;

/** Gives a file of the workspace to the open page. */
export const browserUpload = defineTool({
  name: "browser_upload",
  title: "Upload in browser",
  group: "browser",
  icon: "upload",
  description: "Give a file of the workspace, at most 10 MB, to a file field of the open page, or to the button that asks for one.",
  input: z.object({ snapshotId, ref, path: z.string().min(1).max(1_000).describe("Path relative to the workspace.") }),
  output: changedPage,
  permission: "browser.tenant.act",
  effects: { browser: "act", files: "read" },
  visibility: { feature: "browser" },
  limits: { timeoutMs: 60_000 },
  foreign: changeIsForeign,
  examples: [{ label: "Upload a report", input: { snapshotId: "snapshot_1", ref: "e8", path: "report.pdf" } }],
  aliases: { element: "ref", target: "ref", snapshot: "snapshotId", file: "path", paths: "path" },
  reaches: ({ path }) => [{ kind: "path", path, access: "read" }],
  ask: ({ path }, say) => say`Upload ${path} to the page that is open in the browser?`,
  async run({ snapshotId: id, ref: element, path }, { browser, files, note }) {
    const bytes = await files.readBytes(path, { maxBytes: mostBytes });
    const name = path.split("/").at(-1) as string;
    return tell(await browser.act({ kind: "upload", snapshotId: id, ref: element, name, mediaType: "application/octet-stream", bytes }), {
      note,
    });
  },
  toModel: showChange,
});
