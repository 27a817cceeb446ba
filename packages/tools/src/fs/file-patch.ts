import {
  type CallPreview,
  defineTool,
  type Failure,
  fail,
  isFailure,
  type Reach,
  type ReadFiles,
  ToolwrightError,
} from "@toolwright/engine";
import type { FileChange } from "@toolwright/engine/ports";
import { z } from "zod";
import { type Match, matches } from "./patch/find-hunk.ts";
import { parsePatch } from "./patch/parse-patch.ts";
import type { FileHistory, PatchedFile } from "./patch/patch.ts";
import { patchText } from "./patch/patch-text.ts";
import { readText } from "./read-text.ts";

const mostNamed = 3;
const mostFailuresTold = 4;

const output = z.object({
  files: z
    .array(
      z.object({
        path: z.string().describe("The file, after a move where it is now."),
        change: z.enum(["added", "updated", "moved", "deleted"]).describe("What became of it; moved files may be updated, too."),
        version: z.string().nullable().describe("Version of the file now, or null when it is gone."),
        match: z
          .enum(matches)
          .nullable()
          .describe(
            "How its hunks were found: exact; line_ends: only with other line ends; trailing_space: only with other blanks at the ends of lines. Null without hunks.",
          ),
      }),
    )
    .describe("In the order of the patch."),
});

/** Changes several files in the workspace by one patch: all of them or none. */
export default defineTool({
  name: "file_patch",
  title: "Patch files",
  group: "fs",
  description:
    "Change several places of one or more text files of the workspace at once: all files change, or none. Takes a unified diff (diff -u, git diff), or this format: " +
    '"*** Begin Patch", then for each file "*** Update File: PATH" (with "*** Move to: PATH" below it to move it), "*** Add File: PATH" or "*** Delete File: PATH", ' +
    'then "*** End Patch". Below an update each hunk begins with "@@", or "@@ LINE" for a line of the file above it, and holds lines that begin with " " (kept), "-" (removed) ' +
    'or "+" (added); lines of a new file begin with "+". Copy kept and removed lines from file_read, with their indentation, ' +
    "and take enough of them that a hunk fits once. For one short change file_edit is cheaper.",
  input: z.object({
    patch: z.string().min(1).max(1_000_000).describe("The patch, as one text. Paths are relative to the workspace."),
  }),
  output,
  permission: "files.tenant.update",
  effects: { files: "write" },
  examples: [
    {
      label: "Change a file and add another",
      input: {
        patch:
          "*** Begin Patch\n*** Update File: src/app.ts\n@@ export function start() {\n-  listen(80);\n+  listen(port);\n*** Add File: src/port.ts\n+export const port = 8080;\n*** End Patch\n",
      },
    },
    { label: "A unified diff", input: { patch: "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n # Notes\n-old\n+new\n" } },
  ],
  presentation: { form: { version: 1, fields: { patch: { widget: "code" } } } },
  aliases: { input: "patch", diff: "patch", patch_text: "patch", patchText: "patch" },
  reaches: ({ patch }) => reachesOf(filesOf(patch)),
  preview: ({ patch }) => filesOf(patch).flatMap(previewOf),
  ask({ patch }, say) {
    const files = filesOf(patch);
    if (files.length === 0) return say`Apply a patch?`;
    const paths = (some: readonly FileHistory[]) => listPaths(some.map(({ path }) => path));
    const gone = files.filter(({ to }) => to === undefined);
    const rest = files.filter(({ to }) => to !== undefined);
    if (gone.length === 0) return say`Change ${paths(rest)}?`;
    return rest.length === 0 ? say`Delete ${paths(gone)}?` : say`Change ${paths(rest)} and delete ${paths(gone)}?`;
  },
  async run({ patch }, { files, note }) {
    const parsed = parseOnce(patch);
    if (isFailure(parsed)) return parsed;
    const planned = await planChanges(parsed.files, files);
    if (isFailure(planned)) return planned;
    const changes = planned.flatMap(({ change }) => change ?? []);
    const versions = new Map((await files.change(changes)).map((version, index) => [changes[index], version]));
    if (parsed.miscounted.length > 0)
      note(
        `The hunk headers at lines ${parsed.miscounted.join(", ")} of the patch count other lines than follow; the lines that follow were taken.`,
      );
    return { files: planned.map(({ done, change }) => ({ ...done, version: versions.get(change) ?? null })) };
  },
  toModel: ({ files }) => [{ type: "text", text: files.map(describeFile).join("\n") }],
});

function listPaths(paths: readonly string[]): string {
  const more = paths.length - mostNamed;
  return paths.slice(0, mostNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** None of a patch that cannot be read, which reaches nothing. */
function filesOf(patch: string): readonly FileHistory[] {
  const parsed = parseOnce(patch);
  return isFailure(parsed) ? [] : parsed.files;
}

let last: { readonly patch: string; readonly parsed: ReturnType<typeof parsePatch> } | undefined;

/** The decision on a call, its start and its run each ask for the same patch. */
function parseOnce(patch: string): ReturnType<typeof parsePatch> {
  if (last?.patch !== patch) last = { patch, parsed: parsePatch(patch) };
  return last.parsed;
}

function reachesOf(files: readonly FileHistory[]): readonly Reach[] {
  const reaches = files.flatMap(({ steps }) => steps.flatMap(reachesOfStep));
  return [...new Map(reaches.map((reach) => [JSON.stringify(reach), reach])).values()];
}

function reachesOfStep(file: PatchedFile): readonly Reach[] {
  const { kind, path } = file;
  if (kind === "add") return [{ kind: "path", path, access: "write" }];
  if (kind === "delete") return [{ kind: "path", path, access: "delete" }];
  const moved: readonly Reach[] = file.moveTo === undefined ? [] : [{ kind: "path", path: file.moveTo, access: "write" }];
  return [{ kind: "path", path, access: "read" }, { kind: "path", path, access: "write" }, ...moved];
}

/** The patch itself is shown, too: some of its files may not be comparable. */
function previewOf(file: FileHistory): readonly CallPreview[] {
  const { path, to = path } = file;
  const shows: readonly string[] = [];
  const apply = (before: string | undefined) => {
    const patched = patchText(file, before);
    return isFailure(patched) ? patched : patched.text;
  };
  if (to === path) return [{ kind: "file", path, shows, apply }];
  // A file that the patch adds and moves is compared with what is there, which is nothing.
  if (isNew(file)) return [{ kind: "file", path: to, shows, apply }];
  return [
    { kind: "file", path: to, from: path, shows, apply },
    { kind: "file", path, shows, apply: () => undefined },
  ];
}

const isNew = ({ steps }: FileHistory) => steps[0]?.kind === "add";

type Done = Pick<z.infer<typeof output>["files"][number], "path" | "change" | "match">;

interface Planned {
  /** Undefined where the patch takes away again what it adds. */
  readonly change?: FileChange;
  readonly done: Done;
}

/** What becomes of each file, or why one or the other cannot be changed: all reasons, so that one attempt more is enough. */
async function planChanges(patched: readonly FileHistory[], files: ReadFiles): Promise<readonly Planned[] | Failure> {
  const planned: Planned[] = [];
  const failed: Failure[] = [];
  for (const file of patched) {
    const plan = await planChange(file, files);
    if (isFailure(plan)) failed.push(plan);
    else planned.push(plan);
  }
  const [first, ...others] = failed;
  if (first === undefined) return planned;
  const told = others.slice(0, mostFailuresTold).map(({ message }) => message);
  return fail(first.code, [first.message, ...told, "Nothing was changed."].join("\n"), first.details);
}

async function planChange(file: FileHistory, files: ReadFiles): Promise<Planned | Failure> {
  const { path, steps, to } = file;
  const [first] = steps;
  // Without a text to compare with, the file may be of any kind.
  if (steps.length === 1 && first?.kind === "delete" && first.hunks === undefined)
    return { change: { kind: "delete", path }, done: { path, change: "deleted", match: null } };
  // The files themselves refuse to add what is there.
  const seen = isNew(file) && to !== undefined ? undefined : await readText(files, path).catch(noFile);
  if (isFailure(seen)) return seen;
  const patched = patchText(file, seen?.text);
  if (isFailure(patched)) return patched;
  const { text: content, match } = patched;
  const ifVersion = seen?.version ?? "";
  if (to === undefined || content === undefined)
    return { ...(!isNew(file) && { change: { kind: "delete", path, ifVersion } }), done: { path, change: "deleted", match } };
  const executable = steps.flatMap((step) => (step.kind === "delete" ? [] : (step.executable ?? []))).at(-1);
  if (isNew(file))
    return { change: { kind: "add", path: to, content, executable: executable ?? false }, done: { path: to, change: "added", match } };
  const moveTo = to === path ? undefined : to;
  const change: FileChange = { kind: "update", path, content, ifVersion, moveTo, executable };
  return { change, done: { path: to, change: moveTo === undefined ? "updated" : "moved", match } };
}

function noFile(error: unknown): undefined {
  if (!ToolwrightError.is(error) || error.code !== "file_not_found") throw error;
}

const matchWords: Readonly<Record<Match, string>> = {
  exact: "",
  line_ends: " (its hunks fitted with other line ends only, which the file keeps)",
  trailing_space: " (its hunks fitted with other blanks at the ends of lines only)",
};

function describeFile({ path, change, version, match }: z.infer<typeof output>["files"][number]): string {
  const word = change[0]!.toUpperCase() + change.slice(1);
  return `${word} ${path}${version === null ? "" : `, version ${version}`}${matchWords[match ?? "exact"]}`;
}
