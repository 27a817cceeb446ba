import { defineTool } from "@toolwright/engine";
import { z } from "zod";

const limit = 500;

/** Lists a folder of the workspace. */
export default defineTool({
  name: "file_list",
  title: "List files",
  group: "fs",
  description:
    "List the files and folders of a folder in the workspace, with sizes. Use it to see what is there. " +
    "To find files by name anywhere use file_search with type glob; to find text use file_search with type grep. Keep depth small: large folders are cut.",
  input: z.object({
    path: z.string().min(1).nullish().describe("Folder, relative to the workspace. Default: the workspace itself."),
    depth: z.int().min(1).max(10).nullish().describe("How many levels to go down. Default: 1, the folder's own entries."),
  }),
  output: z.object({
    path: z.string().describe("The folder that was listed."),
    entries: z
      .array(
        z.object({
          path: z.string().describe("Relative to the workspace."),
          kind: z.enum(["file", "directory", "link", "other"]).describe("Links are listed and never followed."),
          size: z.int().describe("Bytes; 0 for what is not a file."),
          modifiedAt: z.number().describe("Milliseconds since the epoch."),
        }),
      )
      .describe("Sorted by path."),
    truncated: z.boolean().describe("True when there are more entries than these."),
  }),
  permission: "files.tenant.read",
  effects: { files: "read" },
  examples: [
    { label: "The workspace", input: {} },
    { label: "Two levels of a folder", input: { path: "src", depth: 2 } },
  ],
  aliases: { dir: "path", directory: "path", folder: "path" },
  reaches: ({ path }) => [{ kind: "path", path: path ?? ".", access: "read" }],
  ask: ({ path }, say) => (path == null ? say`List the workspace?` : say`List the folder ${path}?`),
  async run({ path, depth }, { files }) {
    const folder = path ?? ".";
    const { entries, truncated } = await files.list(folder, { depth: depth ?? 1, limit });
    return { path: folder, entries: [...entries], truncated };
  },
  toModel({ path, entries, truncated }) {
    if (entries.length === 0) return [{ type: "text", text: `${path} is empty.` }];
    const lines = entries.map((entry) => `${entry.path}${marks[entry.kind]}${entry.kind === "file" ? ` (${entry.size} bytes)` : ""}`);
    if (truncated) lines.push(`[Cut after ${entries.length} entries. List a folder below, or use a smaller depth.]`);
    return [{ type: "text", text: lines.join("\n") }];
  },
});

const marks = { file: "", directory: "/", link: " (link)", other: " (neither file nor folder)" } as const;
