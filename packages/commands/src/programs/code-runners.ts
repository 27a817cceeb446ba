import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { optionTable } from "../words/scan-arguments.ts";
import { project } from "./project-rule.ts";

const script = (what: string, examples: ProgramRule["examples"]): ProgramRule => ({
  ...project,
  reason: `Runs ${what}. The script must be named by the rule; code in arguments or from standard input is left out.`,
  interpreter: true,
  operands: "read",
  passesOn: true,
  pinned: 2,
  check: ({ operands: [file] }) => (file && file.text !== "-" ? undefined : "it would run code from standard input"),
  examples,
});

/** Prints its version when that is all that is asked. */
const versions = (program: string, ...names: readonly string[]) =>
  new Map(
    names.map((name): [string, ProgramRule] => [
      name,
      {
        reason: "Prints its version.",
        readOnly: true,
        examples: { match: [`${program} ${name}`], notMatch: [`${program} ${name} scripts/x`] },
      },
    ]),
  );

const python = (name: string): ProgramRule => ({
  ...script("a Python file", {
    match: [`${name} scripts/ok.py`, `${name} scripts/ok.py --x -c 'a b'`],
    notMatch: [
      `${name}`,
      `${name} -c 'print(1)'`,
      `${name} - < a.py`,
      `${name} < a.py`,
      `${name} -i scripts/ok.py`,
      `${name} -X importtime scripts/ok.py`,
      `${name} /tmp/x.py`,
      `${name} scripts/*.py`,
    ],
  }),
  modes: versions(name, "-V", "--version").set("-m", {
    ...script("a Python module", {
      match: [`${name} -m pytest -q`],
      notMatch: [`${name} -m *`, `${name} -m`, `${name} -m pytest ~/x`],
    }),
    operands: "text",
    pinned: 3,
  }),
});

const shell = (name: string, options: string): ProgramRule => ({
  ...script("a shell script", {
    match: [`${name} scripts/ok.sh`, `${name} scripts/ok.sh -c x`],
    notMatch: [name, `${name} < x`, `${name} -s < x`, `${name} -x scripts/ok.sh`, `${name} scripts/*.sh`, `${name} /tmp/x.sh`],
  }),
  ...(options && { modes: versions(name, options) }),
});

/** Nothing of it is reviewed, and what it does may be code: a rule must write out the whole command, and none is offered. */
const unreviewed = (reason: string, notMatch: readonly string[]): ProgramRule => ({
  ...project,
  reason,
  interpreter: true,
  words: () => reason.replace(/\.$/, ""),
  examples: { match: [], notMatch },
});
const pager = (name: string) =>
  unreviewed("Its reader can start programs by its keys, and LESSOPEN starts one for each file; cat, head and sed -n print the same.", [
    `${name} a.txt`,
    `${name} -o out a.txt`,
    `${name} +!id a.txt`,
    name,
  ]);
const editor = (name: string) =>
  unreviewed("An editor runs commands from its arguments, its settings and the files that it opens, and waits for keys.", [
    `${name} a.txt`,
    `${name} -c '!id' a.txt`,
    `${name} -es +%p a.txt`,
    `${name} --version`,
  ]);

/** A program of the workspace that a rule names by its path: a script, and the arguments are its own. */
export const workspaceProgram: ProgramRule = {
  ...project,
  reason: "Runs a file of the workspace.",
  interpreter: true,
  words: (words) => (words.some(({ tilde }) => tilde) ? "an argument is in a home folder, outside the workspace" : undefined),
  examples: {
    match: ["./scripts/build.sh", "./scripts/build.sh --fast 'a b'"],
    notMatch: ["./scripts/build.sh ~/x", "cd x && ./scripts/build.sh"],
  },
};

/** Programs that run code from files and arguments. */
export const codeRunners: ProgramTable = {
  node: {
    ...script("a JavaScript file", {
      match: ["node scripts/build.js", "node scripts/ok.js --x=1 'a b'"],
      notMatch: [
        "node",
        "node -e 1",
        "node -p 1",
        "node -r ./x scripts/ok.js",
        "node --import ./x scripts/ok.js",
        "node --inspect scripts/ok.js",
        "node --env-file=.env scripts/ok.js",
        "node < x.js",
        "node ../x.js",
      ],
    }),
    modes: versions("node", "-v", "--version"),
  },
  python: python("python"),
  python3: python("python3"),
  ruby: {
    ...script("a Ruby file", {
      match: ["ruby scripts/ok.rb x"],
      notMatch: ["ruby", "ruby -e 1", "ruby -r ./x scripts/ok.rb", "ruby -n scripts/ok.rb", "ruby < x"],
    }),
    modes: versions("ruby", "-v", "--version"),
  },
  bash: shell("bash", "--version"),
  sh: shell("sh", ""),
  dash: shell("dash", ""),
  npx: {
    ...project,
    reason: "Runs a program of an npm package that the rule names; the arguments are that program's.",
    interpreter: true,
    operands: "text",
    passesOn: true,
    pinned: 2,
    options: optionTable("--no-install --no"),
    neutral: new Set(["--no-install", "--no"]),
    examples: {
      match: ["npx tsc --noEmit", "npx --no tsc", "npx vitest run src"],
      notMatch: ["npx -p evil tsc", "npx -y evil", "npx -c 'id'", "npx --package=evil tsc", "npx --call id", "npx tsc ~/x"],
    },
  },
  less: pager("less"),
  more: pager("more"),
  vi: editor("vi"),
  vim: editor("vim"),
  nvim: editor("nvim"),
  nano: editor("nano"),
  emacs: editor("emacs"),
};
