import { defineTool, type Failure, fail, isFailure, ToolwrightError } from "@toolwright/engine";
import { z } from "zod";
import { explainMismatch } from "./explain-mismatch.ts";
import { readText } from "./read-text.ts";
import { type Replacement, replaceText } from "./replace-text.ts";

const mostLinesNamed = 10;
const noChange = fail("no_change", "oldText and newText are the same, so there is nothing to edit.");

/** Replaces exact text in one file in the workspace. */
export default defineTool({
  name: "file_edit",
  title: "Edit file",
  group: "fs",
  description:
    "Replace exact text in a text file of the workspace. Read the file first with file_read and copy oldText from it character by character, with its indentation, " +
    "and with enough lines around it that it occurs only once; or pass replaceAll to change every occurrence. The rest of the file stays as it is, line ends included. " +
    "To make a new file, or to change most of one, use file_write; to change several files or places at once, file_patch.",
  input: z.object({
    path: z.string().min(1).describe("Path of the file, relative to the workspace."),
    oldText: z.string().min(1).describe("The text to replace, exactly as it stands in the file."),
    newText: z.string().describe("The text to put there. Empty removes oldText."),
    replaceAll: z.boolean().nullish().describe("True replaces every occurrence. Default: oldText must occur exactly once."),
    version: z.string().nullish().describe("The version that file_read returned; refuses to edit when the file changed since."),
  }),
  output: z.object({
    path: z.string().describe("The path that was edited."),
    replacements: z.int().describe("How many places were replaced."),
    lines: z.array(z.int()).describe("Line of each of the first places, as it was before the edit."),
    version: z.string().describe("Version of the file now."),
  }),
  permission: "files.tenant.update",
  effects: { files: "write" },
  examples: [
    { label: "Change one place", input: { path: "src/app.ts", oldText: "const port = 80;", newText: "const port = 8080;" } },
    { label: "Rename everywhere in a file", input: { path: "src/app.ts", oldText: "getUser", newText: "readUser", replaceAll: true } },
  ],
  aliases: {
    file: "path",
    file_path: "path",
    old_string: "oldText",
    old_text: "oldText",
    old_str: "oldText",
    new_string: "newText",
    new_text: "newText",
    new_str: "newText",
    replace_all: "replaceAll",
  },
  reaches: ({ path }) => [
    { kind: "path", path, access: "read" },
    { kind: "path", path, access: "write" },
  ],
  preview: ({ path, oldText, newText, replaceAll }) => [
    {
      kind: "file",
      path,
      shows: ["path", "oldText", "newText", "replaceAll"],
      apply(before) {
        if (oldText === newText) return noChange;
        if (before === undefined) return fail("file_not_found", `There is no file "${path}".`);
        const edited = editText(before, { path, oldText, newText, replaceAll });
        return isFailure(edited) ? edited : edited.text;
      },
    },
  ],
  ask: ({ path, replaceAll }, say) => (replaceAll ? say`Replace text everywhere in ${path}?` : say`Change ${path}?`),
  async run({ path, oldText, newText, replaceAll, version }, { files }) {
    if (oldText === newText) return noChange;
    const seen = await readText(files, path);
    if (isFailure(seen)) return seen;
    const { text, truncated } = seen;
    if (truncated) throw new ToolwrightError("file_too_large", `"${path}" is too large to be edited as text.`);
    if (version != null && version !== seen.version) {
      throw new ToolwrightError("file_changed", `"${path}" changed since version ${version}. Read it again, then edit what is there now.`);
    }
    const edited = editText(text, { path, oldText, newText, replaceAll });
    if (isFailure(edited)) return edited;
    const { lines } = edited;
    const written = await files.write(path, edited.text, { ifVersion: seen.version });
    return { path, replacements: lines.length, lines: lines.slice(0, mostLinesNamed), version: written.version };
  },
  toModel({ path, replacements, lines, version }) {
    const places = replacements === 1 ? `1 place, at line ${lines[0]}` : `${replacements} places`;
    return [{ type: "text", text: `Edited ${path} in ${places}. Version ${version}` }];
  },
});

interface Edit {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean | null | undefined;
}

function editText(text: string, { path, oldText, newText, replaceAll }: Edit): Replacement | Failure {
  const edited = replaceText(text, oldText, newText);
  const { lines } = edited;
  if (lines.length === 0) return fail("text_not_found", `oldText does not occur in "${path}". ${explainMismatch(text, oldText)}`);
  if (lines.length === 1 || replaceAll) return edited;
  const named = lines.slice(0, mostLinesNamed);
  const where = `${named.join(", ")}${lines.length > named.length ? ", ..." : ""}`;
  return fail(
    "text_not_unique",
    `oldText occurs ${lines.length} times in "${path}", at lines ${where}. Add lines around it until it occurs once, or pass replaceAll.`,
  );
}
