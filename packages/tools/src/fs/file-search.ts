import { defineTool } from "@toolwright/engine";
import type { GrepMatch } from "@toolwright/engine/ports";
import { z } from "zod";

const defaultLimit = 100;
const longestLine = 500;

/** Finds files by name or by what they hold. */
export default defineTool({
  name: "file_search",
  title: "Search files",
  group: "fs",
  description:
    "Search the workspace. type glob finds files by name (src/**/*.ts); type grep finds lines by a regular expression (Rust syntax, one line at a time). " +
    "Use it before file_read to find where to read. It is cheaper and safer than running grep or find with exec. Files that .gitignore names are left out. " +
    "Narrow a search with path and glob before you raise limit.",
  input: z.object({
    type: z.enum(["glob", "grep"]).describe("glob: by file name. grep: by content."),
    pattern: z
      .string()
      .min(1)
      .max(2000)
      .describe("For glob: a glob with *, ?, ** and {a,b}. For grep: a regular expression, or plain text with literal."),
    path: z
      .string()
      .min(1)
      .nullish()
      .describe("Folder (or for grep also a file) to search in, relative to the workspace. Default: all of it."),
    glob: z.string().min(1).nullish().describe("Only for grep: search only files whose path matches this glob, e.g. *.ts."),
    literal: z.boolean().nullish().describe("Only for grep: true takes the pattern as plain text. Default: false."),
    ignoreCase: z.boolean().nullish().describe("Only for grep: true ignores the difference of capital and small letters. Default: false."),
    context: z.int().min(0).max(10).nullish().describe("Only for grep: lines to show before and after each match. Default: 0."),
    limit: z.int().min(1).max(1000).nullish().describe(`Most paths or matches to return. Default: ${defaultLimit}.`),
  }),
  output: z.object({
    type: z.enum(["glob", "grep"]).describe("The kind of search."),
    paths: z.array(z.string()).describe("For glob: the files found. For grep: the files with matches, each once."),
    matches: z
      .array(
        z.object({
          path: z.string().describe("Relative to the workspace."),
          line: z.int().describe("Line number, counted from 1."),
          text: z.string().describe(`The line; cut after ${longestLine} characters.`),
          before: z.array(z.string()).describe("Lines before the match, when context was asked for."),
          after: z.array(z.string()).describe("Lines after the match, when context was asked for."),
        }),
      )
      .describe("For grep only, in order of path and line."),
    truncated: z.boolean().describe("True when there is more than this."),
  }),
  permission: "files.tenant.read",
  effects: { files: "read" },
  examples: [
    { label: "Files by name", input: { type: "glob", pattern: "src/**/*.test.ts" } },
    { label: "Where a function is used", input: { type: "grep", pattern: "defineTool\\(", glob: "*.ts" } },
    { label: "Plain text with two lines around it", input: { type: "grep", pattern: "a[0]", literal: true, context: 2 } },
  ],
  aliases: { query: "pattern", regex: "pattern", ignore_case: "ignoreCase", max_results: "limit" },
  reaches: ({ type, path, glob }) => [
    {
      kind: "path",
      path: path ?? ".",
      access: "read",
      below: type === "grep" ? "content" : "names",
      ...(type === "grep" && glob != null && { matching: glob }),
    },
  ],
  ask: ({ pattern, path }, say) => (path == null ? say`Search the workspace for ${pattern}?` : say`Search ${path} for ${pattern}?`),
  async run({ type, pattern, path, glob, literal, ignoreCase, context, limit }, { files }) {
    const where = path ?? ".";
    const most = limit ?? defaultLimit;
    if (type === "glob") {
      const { paths, truncated } = await files.glob(pattern, { path: where, limit: most });
      return { type, paths: [...paths], matches: [], truncated };
    }
    const { matches, truncated } = await files.grep({
      pattern,
      path: where,
      literal: literal ?? false,
      ignoreCase: ignoreCase ?? false,
      context: context ?? 0,
      maxMatches: most,
      ...(glob != null && { glob }),
    });
    return { type, paths: [...new Set(matches.map((match) => match.path))], matches: matches.map(shortenMatch), truncated };
  },
  toModel({ type, paths, matches, truncated }) {
    const lines = type === "glob" ? [...paths] : matches.flatMap(describeMatch);
    if (lines.length === 0) lines.push("Nothing found.");
    if (truncated) lines.push("[There is more. Narrow the search with path, glob or a longer pattern, or raise limit.]");
    return [{ type: "text", text: lines.join("\n") }];
  },
});

interface ShownMatch extends GrepMatch {
  readonly before: string[];
  readonly after: string[];
}

function shortenMatch({ path, line, text, before = [], after = [] }: GrepMatch): ShownMatch {
  return { path, line, text: shorten(text), before: before.map(shorten), after: after.map(shorten) };
}

function shorten(text: string): string {
  return text.length > longestLine ? `${text.slice(0, longestLine)} [cut, ${text.length} characters]` : text;
}

function describeMatch({ path, line, text, before, after }: ShownMatch): string[] {
  const show = (shown: string, offset: number, mark: ":" | "-") => `${path}${mark}${line + offset}${mark} ${shown}`;
  const lines = [
    ...before.map((shown, at) => show(shown, at - before.length, "-")),
    show(text, 0, ":"),
    ...after.map((shown, at) => show(shown, at + 1, "-")),
  ];
  return before.length + after.length > 0 ? [...lines, "--"] : lines;
}
