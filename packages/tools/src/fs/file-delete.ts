import { defineTool } from "@toolwright/engine";
import { z } from "zod";

/** Deletes one file or folder in the workspace. */
export default defineTool({
  name: "file_delete",
  title: "Delete file or folder",
  group: "fs",
  description:
    "Delete a file, a link (not what it points to) or an empty folder of the workspace. It cannot be undone. " +
    "A folder with content needs recursive true: look at it with file_list first. To empty or change a file use file_write or file_edit instead.",
  input: z.object({
    path: z.string().min(1).describe("Path of the file or folder, relative to the workspace."),
    recursive: z.boolean().nullish().describe("True deletes a folder with all that is in it. Default: false."),
  }),
  output: z.object({
    path: z.string().describe("The path that was deleted."),
    deleted: z.int().describe("How many files and folders are gone."),
  }),
  permission: "files.tenant.delete",
  effects: { files: "write", destructive: true },
  examples: [
    { label: "One file", input: { path: "old-notes.md" } },
    { label: "A folder with its content", input: { path: "build", recursive: true } },
  ],
  aliases: { file: "path", file_path: "path" },
  reaches: ({ path }) => [{ kind: "path", path, access: "delete" }],
  preview: ({ path }) => [{ kind: "file", path, shows: ["path"], apply: () => undefined }],
  ask: ({ path, recursive }, say) => (recursive ? say`Delete ${path} and all that is in it?` : say`Delete ${path}?`),
  async run({ path, recursive }, { files }) {
    const { deleted } = await files.delete(path, { recursive: recursive ?? false });
    return { path, deleted };
  },
  toModel: ({ path, deleted }) => [{ type: "text", text: `Deleted ${path} (${deleted} in all)` }],
});
