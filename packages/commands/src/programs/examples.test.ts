import { describe, expect, test } from "vitest";
import { createJudge } from "../judge/create-judge.ts";
import { wrappers } from "../read/wrappers.ts";
import type { Examples, ProgramRule } from "../words/program-rule.ts";
import { workspaceProgram } from "./code-runners.ts";
import { programs } from "./programs.ts";

interface Row {
  /** The entry's own words: `git stash list`, `python -m`. */
  readonly entry: string;
  readonly command: string;
  readonly allow: readonly string[];
}

/** What examples put beside the program in question: wrapped, in a pipeline, before it on the line. */
const beside = "ls cat grep wc head find rg rm cd echo git".split(" ").map((name) => `${name} *`);

/** An entry with its subcommands and modes, by their words. */
function walk(entry: string, rule: ProgramRule): (readonly [string, ProgramRule])[] {
  const below = [...(rule.subcommands ?? []), ...(rule.modes ?? [])];
  return [[entry, rule], ...below.flatMap(([word, inner]) => walk(`${entry} ${word}`, inner))];
}

/** `PROGRAM SUBCOMMAND *`, and as many words more as the review wants written out. */
function coverOf(entry: string, rule: ProgramRule, command: string): string {
  const own = entry.split(" ");
  const words = command.replace(/\s*[<>|].*$/, "").split(" ");
  const rest = words.slice(words.indexOf(own[0] ?? "") + own.length).filter((word) => !rule.neutral?.has(word));
  const written = rest.slice(0, Math.max(0, (rule.pinned ?? 0) - own.length));
  return [...own, ...written, "*"].join(" ");
}

const reviewed = [...[...programs].flatMap(([name, rule]) => walk(name, rule)), ["./scripts/build.sh", workspaceProgram] as const];
const examplesOf = (kind: keyof Examples): readonly Row[] =>
  reviewed.flatMap(([entry, rule]) =>
    rule.examples[kind].map((command) => ({
      entry,
      command,
      allow: [...beside, `${entry.split(" ")[0]} *`, coverOf(entry, rule, command)],
    })),
  );
const wrapped = (kind: keyof Examples): readonly Row[] =>
  [...wrappers].flatMap(([entry, { examples }]) => examples[kind].map((command) => ({ entry, command, allow: [...beside, `${entry} *`] })));

/** The verdict when nothing but the patterns of a row is allowed, and why. */
function judge({ allow, command }: Row) {
  const { effect, findings } = createJudge({ allow, builtIn: false })(command);
  const reasons = findings.filter((finding) => finding.effect === effect).map(({ reason }) => reason);
  return { effect, detail: reasons.join(" ") };
}

describe("a harmless example runs once a rule covers the program", () => {
  test.each([...examplesOf("match"), ...wrapped("match")])("$entry: $command", (row) => {
    expect(judge(row)).toMatchObject({ effect: "allow" });
  });
});

describe("an example of something else does not run, although a rule covers the program", () => {
  test.each(examplesOf("notMatch"))("$entry: $command", (row) => {
    const { effect, detail } = judge(row);
    expect(effect).not.toBe("allow");
    expect(detail).not.toContain("no rule allows this command");
  });
  test.each(wrapped("notMatch"))("$entry: $command", (row) => {
    expect(judge(row).effect).not.toBe("allow");
  });
});

test("every entry has an example of what does not run, and says what it is an example of", () => {
  const mentions = ({ entry, command }: Row) => {
    const words = command.split(/\s+/).map((word) => word.replace(/^\/usr\/bin\/|[();]+$/g, ""));
    return entry.split(" ").every((word) => words.includes(word));
  };
  const rows = (["match", "notMatch"] as const).flatMap((kind) => [...examplesOf(kind), ...wrapped(kind)]);
  expect(rows.filter((row) => !mentions(row)).map(({ entry, command }) => `${entry}: ${command}`)).toEqual([]);
  expect(reviewed.filter(([, { examples }]) => examples.notMatch.length === 0).map(([entry]) => entry)).toEqual([]);
});
