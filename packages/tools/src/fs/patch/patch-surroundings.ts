import type { PatchReader } from "./patch-reader.ts";

/** What a line outside all files stands in: above the first of them, in a message of a commit or mail, or below a file. */
export type Surroundings = "before" | "message" | "after";

/** Characters at either end of a line that tell what it is. */
const endLength = 200;
const endsOf = (line: string) => (line.length > 2 * endLength ? line.slice(0, endLength) + line.slice(-endLength) : line);

/** First lines of what mail programs, git and Mercurial write above the message of a commit. */
const separator = /^(?:From [0-9a-f]{40,64} |From \S+ .*\d\d:\d\d:\d\d .*\d{4}|commit [0-9a-f]{40,64}|# HG changeset patch)/;
const mailHeader = /^(?:From|Subject|Date): /;

/** Whether the message of a commit begins at a line, whatever stands above it. */
export const beginsMessage = (line: string) => separator.test(endsOf(line));

/** The line of three backticks that begins or ends a block of Markdown. */
export const isFence = (line: string) => line.startsWith("```");

/** Two hyphens and a blank, which editors take away, above a signature. */
export function isSignature(reader: PatchReader): boolean {
  const line = reader.peek();
  if (line === "-- ") return true;
  const below = reader.peek(1);
  return line === "--" && below !== undefined && !/^[-+ @\\]/.test(below);
}

interface Part {
  readonly pattern: RegExp;
  readonly problem: string;
  /** A message may hold such a line as its own words. */
  readonly isProseInMessage: boolean;
}

const part = (pattern: RegExp, problem: string, isProseInMessage = true): Part => ({ pattern, problem, isProseInMessage });

const noText = "is no change of a text, which is all that can be applied";
const noFile = "belongs to no file";

/** Lines that tell of a change, and are not read. To leave them out would apply a part of the patch. */
const parts: readonly Part[] = [
  part(/^@@@* ?-\d|^@@(?: |$)/, `${noFile}: put "--- a/PATH" and "+++ b/PATH" above the hunk`, false),
  part(/^GIT binary patch$/, noText, false),
  part(/^\*{15}/, 'begins a context diff. Make the patch with "diff -u"', false),
  part(
    /^\*\*\* (?:Begin|End) Patch\s*$|^\*\*\* (?:Add|Update|Delete) File: /,
    "is of another format. Send it in a patch of its own",
    false,
  ),
  part(/^content-transfer-encoding: +(?:quoted-printable|base64)/i, "begins an encoded mail. Decode it first", false),
  part(/^Only in .+: ./, 'names a file that the patch does not hold. Make the patch with "diff -ruN", or take the line out'),
  part(/^(?:Binary files?|Files?|Symbolic links) .+ (?:differ|has changed)$|^File .+ is an? .+ while file .+ is an? /, noText),
  part(/^Submodule .+ [0-9a-f]+\.\.|^\* Unmerged path /, noText),
  part(/^Property changes on: /, 'tells of properties, which cannot be applied. Make the patch with "svn diff --patch-compatible"'),
  part(
    /^(?:old|new|new file|deleted file) mode \d|^(?:rename|copy) (?:from|to) /,
    `${noFile}: a line with "diff --git" is missing above it`,
  ),
  part(/^\d+(?:,\d+)?[acd]\d+(?:,\d+)?$/, 'is of a diff without files. Make the patch with "diff -u"'),
];

/** Refuses a line outside all files that is a part of a change; tells what the next line stands in. */
export function requireProse(reader: PatchReader, where: Surroundings): Surroundings {
  const whole = reader.peek()!;
  const line = endsOf(whole);
  const found = parts.find(({ pattern, isProseInMessage }) => !(isProseInMessage && where === "message") && pattern.test(line));
  if (found) reader.fail(`${found.problem}: ${shorten(whole)}`);
  if (separator.test(line) || mailHeader.test(line)) return "message";
  if (where !== "after") return where;
  if (/^\+|^-(?!--\s*$)|^\\ /.test(line) || line.startsWith("--- "))
    reader.fail(`looks like a line of a hunk and belongs to none. Correct the hunk above it, or indent the line: ${shorten(whole)}`);
  return where;
}

export const shorten = (line: string) => line.slice(0, 80);
