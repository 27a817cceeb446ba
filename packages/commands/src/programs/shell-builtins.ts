import { pathFromRoot, type Word } from "../words/decode-word.ts";
import { judgePathWord, type Objection } from "../words/judge-path-word.ts";
import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { optionTable } from "../words/scan-arguments.ts";

const printer = { operands: "text", readOnly: true } as const;
/** Words that the shell makes names of files of. */
const judgeExpanding = (words: readonly Word[]): Objection =>
  words
    .filter(({ glob, tilde }) => glob || tilde)
    .map((word) => judgePathWord(word, "read"))
    .find((objection) => objection !== undefined);
/** It does nothing at all, whatever it is given. */
const inert = (match: readonly string[], notMatch: readonly string[] = []): ProgramRule => ({
  ...printer,
  reason: "Does nothing.",
  inert: true,
  examples: { match, notMatch },
});
const moving = (name: string): ProgramRule => ({
  reason: "Changes the folder; no arguments are reviewed.",
  moves: true,
  needsSubcommand: true,
  subcommands: new Map(),
  examples: { match: [], notMatch: [name, `${name} src`] },
});

const operators = new Set(
  "-a -o ! ( ) = == != -eq -ne -lt -le -gt -ge -nt -ot -ef -z -n -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -L -O -G -S".split(" "),
);

/** Judges the words of `test` and `[`. */
function checkTest(words: readonly Word[]): Objection {
  for (const word of words) {
    if (word.text === "]" || operators.has(word.text) || word.status) continue;
    if (word.text.startsWith("-") && !/^-\d+$/.test(word.text))
      return `the operator ${JSON.stringify(word.text)} of test is not on the reviewed list`;
    const index = word.text.indexOf("[");
    if (index !== -1 && /[$`]/.test(word.text.slice(index))) return `${JSON.stringify(word.text)} is an index that some shells evaluate`;
    if (word.glob) return `${JSON.stringify(word.text)} may expand to operators of test; put it in quotes`;
    const objection = word.text.includes("\n") ? undefined : judgePathWord(word, "read");
    if (objection) return objection;
  }
  return undefined;
}

const test = (match: readonly string[], notMatch: readonly string[]): ProgramRule => ({
  reason: "Compares texts and looks at files; -v, which evaluates an index, is left out.",
  readOnly: true,
  words: checkTest,
  examples: { match, notMatch },
});

/** Commands of the shell itself. */
export const shellBuiltins: ProgramTable = {
  true: inert(["true", "true x"], ["true `id`", "true > a.txt"]),
  false: inert(["false", "false x"], ["false `id`"]),
  ":": inert([":", ": x"], [": > a.txt"]),
  echo: {
    ...printer,
    reason: "Prints its arguments, also those that look like options.",
    words: judgeExpanding,
    examples: {
      match: [
        'echo "hello world"',
        "echo hi 2>&1",
        "echo 100%",
        "echo 'a' \"b\" c\\ d",
        "echo a=b c:d",
        "echo -n x",
        "echo --- x",
        "echo 日本語",
      ],
      notMatch: ["echo $HOME", "echo `x`", "echo {1..3}", "echo ~", "echo a > b", "echo x 2>file", "echo a &"],
    },
  },
  printf: {
    ...printer,
    reason:
      "Prints its arguments, also those behind the format that look like options; -v, which assigns and evaluates an index, is left out.",
    words: (words) => {
      const isOption = words.some(({ text }, index) => text.startsWith("-v") || (index === 0 && text.startsWith("-") && text !== "--"));
      if (isOption) return "an option of printf is not reviewed";
      return judgeExpanding(words);
    },
    examples: {
      match: ["printf '%s\\n' a b", 'printf "%d\\n" 5', "printf '%s\\n' '--- a'", "printf -- '- %s\\n' a"],
      notMatch: ["printf -v 'a[$(x)]' y", "printf x > a", "printf -x a", "printf '%s' ~/*"],
    },
  },
  set: {
    ...printer,
    reason: "Ends the script at the first failure, or prints what it runs; other settings of the shell are left out.",
    inert: true,
    words: (words) =>
      words.length > 0 && words.every(({ text }) => /^(?:[-+][eux]*o?|pipefail)$/.test(text))
        ? undefined
        : "a setting of the shell is not reviewed",
    examples: { match: ["set -euo pipefail", "set -x"], notMatch: ["set", "set -a", "set -- x"] },
  },
  exit: {
    ...printer,
    reason: "Ends the script.",
    inert: true,
    maxOperands: 1,
    check: ({ operands }) => (/^(?:\d{0,3}|\$\?)$/.test(operands[0]?.text ?? "") ? undefined : "it is no exit code"),
    examples: { match: ["exit", "exit 1", "exit $?"], notMatch: ["exit 'a[$(x)]'", "exit 1 2"] },
  },
  wait: {
    reason: "Waits for what runs in the background.",
    readOnly: true,
    inert: true,
    examples: { match: ["wait"], notMatch: ["wait -p 'a[$(x)]' 1"] },
  },
  sleep: { ...printer, reason: "Waits.", examples: { match: ["sleep 5"], notMatch: ["sleep `id`"] } },
  type: {
    ...printer,
    reason: "Prints what a name stands for.",
    options: optionTable("-a -t -p -P"),
    examples: { match: ["type -a ls", "type git"], notMatch: ["type() { id; }; type x", "type -f ls"] },
  },
  command: {
    ...printer,
    reason: "With -v it prints what a name stands for.",
    options: optionTable("-v -V"),
    examples: { match: ["command -v git"], notMatch: ["command -x ls", "command -v $X"] },
  },
  test: test(["test -e a", "test ! -e b", "test -n x"], ["test -v 'a[$(touch x)]'", "test -e /etc/passwd", "test -n *"]),
  "[": test(['[ "a" = "b" ]', "[ -n abc -a 1 -lt 2 ]"], ["[ -R x ]", "[ 'a[$(x)]' -eq 1 ]"]),
  cd: {
    reason: "Changes to a folder below; what follows is then judged in that folder.",
    operands: "read",
    maxOperands: 1,
    readOnly: true,
    moves: true,
    check: ({ operands }) =>
      /^(?:\.\/?|(?:\.\/)?[A-Za-z0-9_][^/]*(?:\/[A-Za-z0-9_][^/]*)*\/?)$/.test(
        operands[0] ? (pathFromRoot(operands[0]) ?? operands[0].text) : "",
      )
        ? undefined
        : "cd must name a folder below, without hidden folders",
    examples: { match: ["cd src", "cd packages/app/", "cd . && ls"], notMatch: ["cd", "cd -", "cd ..", "cd .git", "cd /tmp", "cd ~"] },
  },
  pushd: moving("pushd"),
  popd: moving("popd"),
};
