import { defineTool, fail } from "@toolwright/engine";
import { z } from "zod";

/** Writes one whole text file in the workspace. */
export default defineTool({
  name: "file_write",
  title: "Write file",
  group: "fs",
  description:
    "Create a text file in the workspace, or replace one as a whole. Missing folders are made, and the file is never half written. " +
    "To change a part of a file use file_edit: it is cheaper and loses nothing. Before you replace a file read it with file_read and pass its version, " +
    "so that nobody's newer work is lost; pass overwrite false when the file must not exist yet.",
  input: z.object({
    path: z.string().min(1).describe("Path of the file, relative to the workspace."),
    content: z.string().describe("The whole new content."),
    overwrite: z.boolean().nullish().describe("False refuses to replace a file that exists. Default: true."),
    version: z.string().nullish().describe("The version that file_read returned; refuses to write when the file changed since."),
  }),
  output: z.object({
    path: z.string().describe("The path that was written."),
    bytes: z.int().describe("Size of the file now."),
    created: z.boolean().describe("True when there was no file before."),
    version: z.string().describe("Version of the file now."),
  }),
  permission: "files.tenant.update",
  effects: { files: "write", idempotent: true },
  examples: [
    { label: "A new file that must not replace another", input: { path: "notes/plan.md", content: "# Plan\n", overwrite: false } },
    { label: "Replace a file", input: { path: "config.json", content: "{}\n" } },
  ],
  aliases: { file: "path", file_path: "path", filename: "path", text: "content", contents: "content" },
  reaches: ({ path }) => [{ kind: "path", path, access: "write" }],
  preview: ({ path, content, overwrite }) => [
    {
      kind: "file",
      path,
      shows: ["path", "content"],
      apply: (before) =>
        before !== undefined && overwrite === false
          ? fail("file_exists", `There is already a file "${path}", and overwrite is false.`)
          : content,
    },
  ],
  ask: ({ path }, say) => say`Write ${path}?`,
  async run({ path, content, overwrite, version }, { files }) {
    const options = { ifMissing: overwrite === false, ...(version != null && { ifVersion: version }) };
    return { path, ...(await files.write(path, content, options)) };
  },
  toModel: ({ path, bytes, created, version }) => [
    { type: "text", text: `${created ? "Created" : "Replaced"} ${path} (${bytes} bytes), version ${version}` },
  ],
});
