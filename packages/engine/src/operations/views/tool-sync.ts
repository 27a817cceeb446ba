import { describeSync, type SyncReport } from "../../ports/tool-sync.ts";
import type { Rendering } from "../shell.ts";

export const syncedToolsView: Rendering<SyncReport> = {
  show: (report) => [describeSync(report).join("\n") || "Nothing changed."],
};
