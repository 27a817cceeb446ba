import type { Word } from "../decode-word.ts";
import { judgePathWord, type Objection } from "../judge-path-word.ts";
import type { ProgramRule, ProgramTable } from "../program-rule.ts";
import { optionTable } from "../scan-arguments.ts";

/** Runs code of the project, from files of the current folder. */
const project = { trustsFolder: true } as const;

const script = (reason: string): ProgramRule => ({
  ...project,
  reason: `${reason} The script must be named by the rule; code in arguments or from standard input is left out.`,
  interpreter: true,
  operands: "read",
  passesOn: true,
  pinned: 2,
  check: ({ operands }) => (operands.length > 0 ? undefined : "it would run code from standard input"),
});

/** Prints its version when that is all that is asked. */
const version: ProgramRule = { reason: "Prints its version.", readOnly: true };
const versions = (...names: string[]) => new Map(names.map((name) => [name, version]));
/** `-m MODULE`: a script by the name of its module, which the rule must name too. */
const pythonModule: ProgramRule = { ...script("Runs a Python module."), operands: "text", pinned: 3 };
const python: ProgramRule = { ...script("Runs a Python file."), modes: versions("-V", "--version").set("-m", pythonModule) };

/** A program of the workspace that a rule names by its path: a script, and the arguments are its own. */
export const workspaceProgram: ProgramRule = {
  ...project,
  reason: "Runs a file of the workspace.",
  interpreter: true,
  words: (words) => (words.some(({ tilde }) => tilde) ? "an argument is in a home folder, outside the workspace" : undefined),
};

const passing = (reason: string, pinned: number): ProgramRule => ({ ...project, reason, operands: "text", pinned });
const quiet = optionTable("-s --silent");
const packageScript: ProgramRule = {
  ...passing("Runs a script of package.json; arguments follow after --.", 2),
  options: optionTable("-s --silent --if-present"),
  check: ({ operands, exposed }) =>
    operands.length === 0 ? "the script is not named" : exposed > 1 ? "arguments of the script stand before --" : undefined,
};
const packageTest: ProgramRule = {
  ...passing("Runs the test script of package.json; arguments follow after --.", 2),
  options: quiet,
  check: ({ exposed }) => (exposed > 0 ? "arguments of the script stand before --" : undefined),
};
const packageManager: ProgramRule = {
  ...project,
  reason: "Scripts of package.json by name. Installing, and running packages that may be downloaded, is left out.",
  options: optionTable("--version -v -s --silent"),
  neutral: new Set(["-s", "--silent"]),
  subcommands: new Map([
    ["test", packageTest],
    ["t", packageTest],
    ["run", packageScript],
    ["run-script", packageScript],
  ]),
};

const npm: ProgramRule = {
  ...packageManager,
  subcommands: new Map([
    ...(packageManager.subcommands ?? []),
    [
      "ls",
      {
        ...project,
        reason: "Lists packages.",
        readOnly: true,
        operands: "text",
        options: optionTable("-a --all --depth= --json -l --long"),
      },
    ],
  ]),
};

const tool = (reason: string, options: string, operands: ProgramRule["operands"] = "read"): ProgramRule => ({
  ...project,
  reason,
  options: optionTable(options),
  ...(operands && { operands }),
});
const changer = { operands: "write" } as const;

/** `tar tf ARCHIVE` and `tar czf ARCHIVE PATH...`. A colon would name another machine. */
function checkTar([letters, archive, ...members]: readonly Word[]): Objection {
  const mode = /^-?([tc])v?[zjJ]?v?f$/.exec(letters?.text ?? "")?.[1];
  if (!mode || !archive || archive.glob || archive.text.includes(":")) return "only tf and cf with the archive's name are reviewed";
  const strange = members.find((word) => word.text.startsWith("-") || (word.glob && /^[*?[]/.test(word.text)));
  if (strange) return `${JSON.stringify(strange.text)} may be an option`;
  const objections = members.map((word) => judgePathWord(word, "read"));
  return judgePathWord(archive, mode === "c" ? "write" : "read") ?? objections.find((objection) => objection !== undefined);
}

/** Programs that work on the project. Their rules are for those that an operator grants; none is built in. */
export const projectPrograms: ProgramTable = {
  node: { ...script("Runs a JavaScript file."), modes: versions("-v", "--version") },
  python,
  python3: python,
  ruby: { ...script("Runs a Ruby file."), modes: versions("-v", "--version") },
  bash: { ...script("Runs a shell script."), modes: versions("--version") },
  sh: script("Runs a shell script."),
  dash: script("Runs a shell script."),
  npm,
  pnpm: packageManager,
  yarn: packageManager,
  make: {
    ...project,
    reason: "Makes targets of the Makefile; -f, -C, --eval and assignments are left out.",
    operands: "text",
    options: optionTable("-j? -k -s -B -n --dry-run --silent --keep-going --no-print-directory"),
    check: ({ operands }) => (operands.every((word) => /^[\w.-]+$/.test(word.text)) ? undefined : "an argument of make is no plain target"),
  },
  tsc: tool(
    "Checks types; without --noEmit it writes, and files of options are left out.",
    "--noEmit -p=path --project=path --pretty --skipLibCheck --strict --watch --incremental",
  ),
  pytest: tool(
    "Runs tests of the project.",
    "-q -v -x -s -k= -m= --tb= --maxfail= -rA --lf --ff --co --collect-only --durations= -vv",
    "read",
  ),
  cargo: {
    ...project,
    reason: "Builds and tests the crate; --config and toolchains are left out.",
    subcommands: new Map(
      ["build", "check", "test", "clippy", "fmt", "tree"].map((name) => [
        name,
        tool(
          "Builds or tests the crate.",
          "--release --all --workspace --all-targets --all-features --no-default-features --features= -p= --package= --lib --bins --bin= --tests --test= -q --quiet -v --verbose --check --locked --offline --frozen -j= --no-run --nocapture",
          "text",
        ),
      ]),
    ),
  },
  go: {
    ...project,
    reason: "Builds and tests the module; -exec, -toolexec, -o and flags of compilers are left out.",
    subcommands: new Map([
      ["test", tool("Runs tests of the module.", "-v -race -short -cover -run= -bench= -count= -timeout= -failfast -json")],
      ["build", tool("Builds the module.", "-v -race")],
      ["vet", tool("Checks the module.", "-v -json")],
      ["version", { reason: "Prints the version.", readOnly: true }],
    ]),
  },
  npx: {
    ...project,
    reason: "Runs a program of an npm package that the rule names; the arguments are that program's.",
    interpreter: true,
    operands: "text",
    passesOn: true,
    pinned: 2,
    options: optionTable("--no-install --no"),
  },
  eslint: tool(
    "Checks code; configurations, formatters and rules from elsewhere are left out.",
    "--quiet --fix --cache --max-warnings= --ext=",
  ),
  prettier: tool("Formats code; configurations and plug-ins from elsewhere are left out.", "--check -c --write -w --list-different -l"),
  vitest: tool("Runs tests of the project.", "--run --coverage --reporter= -t= --project= --bail="),
  jest: tool("Runs tests of the project.", "--coverage --ci -t= --runInBand -i --bail --verbose --watch? --watchAll?"),
  tar: { reason: "Lists or creates an archive; everything else is left out.", words: checkTar },
  tee: { ...changer, placesFiles: "input", reason: "Writes its input to files of the workspace.", options: optionTable("-a --append") },
  mkdir: { ...changer, reason: "Creates folders in the workspace.", options: optionTable("-p -v --parents --verbose") },
  touch: { ...changer, reason: "Creates empty files in the workspace.", options: optionTable("-a -c -m --no-create") },
  rm: {
    ...changer,
    reason: "Removes files below the workspace; its root, hidden settings and credentials are left out.",
    options: optionTable("-f -i -v -r -R -d --force --recursive --verbose --dir"),
  },
  rmdir: { ...changer, reason: "Removes empty folders.", options: optionTable("-p -v") },
  cp: {
    ...changer,
    placesFiles: "operands",
    reason: "Copies inside the workspace.",
    options: optionTable("-r -R -p -v -n -f -i --recursive --no-clobber --verbose"),
  },
  mv: {
    ...changer,
    placesFiles: "operands",
    reason: "Moves inside the workspace.",
    options: optionTable("-v -n -f -i --no-clobber --verbose"),
  },
  curl: {
    reason: "Gets one URL that the rule names; options that write, send, read files or follow redirects are left out.",
    operands: "text",
    pinned: 2,
    globSafe: true,
    options: optionTable("-s -S -f -i -I -v -m= --silent --show-error --fail --include --head --max-time="),
    check: ({ operands }) =>
      operands.every((word) => /^https?:\/\/[a-z0-9.-]+(?::\d+)?(?:\/[A-Za-z0-9._~/?&=%+,-]*)?$/.test(word.text))
        ? undefined
        : "the URL is not a plain http or https URL",
  },
  cd: {
    reason: "Changes to a folder below; what follows is then judged in that folder.",
    operands: "read",
    maxOperands: 1,
    readOnly: true,
    moves: true,
    check: ({ operands }) =>
      /^(?:\.\/)?[A-Za-z0-9_][^/]*(?:\/[A-Za-z0-9_][^/]*)*\/?$/.test(operands[0]?.text ?? "")
        ? undefined
        : "cd must name a folder below, without hidden folders",
  },
  pushd: { reason: "Changes the folder; no arguments are reviewed.", moves: true, needsSubcommand: true, subcommands: new Map() },
  popd: { reason: "Changes the folder; no arguments are reviewed.", moves: true, needsSubcommand: true, subcommands: new Map() },
};
