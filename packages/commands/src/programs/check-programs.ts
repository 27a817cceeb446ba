import type { Objection } from "../words/judge-path-word.ts";
import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments } from "../words/scan-arguments.ts";
import { refuseArgumentFiles } from "./argument-files.ts";
import { anyProject } from "./project-rule.ts";

/** Patterns that a program expands by itself: braces and groups may hold a way out of the folder, or leave the rest absolute. */
function refuseAlternatives({ operands }: ScannedArguments): Objection {
  const strange = operands.find(({ text }) => /[{(]/.test(text) && (/^(?:[{(]|[?*+!@]\()/.test(text) || text.includes("..")));
  return strange && `${JSON.stringify(strange.text)} may mean a path outside the workspace`;
}

const checkOperands = (scanned: ScannedArguments): Objection => refuseArgumentFiles(scanned) ?? refuseAlternatives(scanned);

/** They obey settings of the current folder, which may load code of the project. */
const tool = (reason: string, options: string, examples: ProgramRule["examples"]): ProgramRule => ({
  ...anyProject,
  operands: "read",
  reason,
  options: optionTable(options),
  check: checkOperands,
  examples,
});

const biomeOptions =
  "--write --fix --staged --changed --since= --only= --skip= --max-diagnostics= --diagnostic-level= --error-on-warnings --no-errors-on-unmatched --colors= --verbose --reporter=";
const biome = (name: string): ProgramRule =>
  tool("Checks or formats code; configurations from elsewhere and files of reports are left out.", biomeOptions, {
    match: [`biome ${name} .`, `biome ${name} --write src`],
    notMatch: [`biome ${name} --config-path=/tmp/x .`, `biome ${name} /etc`, `biome ${name} --reporter-file=/tmp/x .`],
  });

/** A reporter by a path would be a program. */
function checkReporter(rule: ProgramRule): ProgramRule {
  return {
    ...rule,
    check: (scanned) => {
      const named = scanned.options.find(({ name, value }) => /^--reporters?$/.test(name) && !/^[\w-]+$/.test(value?.text ?? ""));
      return named ? "the reporter is not one by a plain name" : checkOperands(scanned);
    },
  };
}

/** Programs that check, format and test the project. Each takes configurations and plug-ins of the project, and none from elsewhere. */
export const checkPrograms: ProgramTable = {
  tsc: tool(
    "Checks types; files of options, and where output goes, are left to the project's settings.",
    "--noEmit -p=path --project=path --pretty --skipLibCheck --strict --watch --incremental --version -v",
    {
      match: ["tsc --noEmit", "tsc -p tsconfig.json --noEmit"],
      notMatch: ["tsc --outDir /tmp", "tsc -p /tmp", "tsc @args", "tsc --init", "tsc --build x", "tsc --generateTrace x"],
    },
  ),
  eslint: tool(
    "Checks code; configurations, formatters and rules from elsewhere are left out.",
    "--quiet --fix --fix-dry-run --cache --max-warnings= --ext= --no-warn-ignored --report-unused-disable-directives --no-color --color --version",
    {
      match: ["eslint src", "eslint --fix --max-warnings 0 ."],
      notMatch: [
        "eslint --rulesdir x .",
        "eslint -c x .",
        "eslint -f ./x .",
        "eslint --resolve-plugins-relative-to x .",
        "eslint --parser ./x .",
        "eslint -o x .",
        "eslint --cache-location /tmp/x .",
        "eslint /etc",
        "eslint 'src/{a,../../x}/**'",
      ],
    },
  ),
  prettier: tool(
    "Formats code; configurations and plug-ins from elsewhere are left out.",
    "--check -c --write -w --list-different -l --version",
    {
      match: ["prettier --check .", "prettier --check 'src/**/*.{ts,tsx}'", "prettier --write src/a.ts"],
      notMatch: [
        "prettier --config x .",
        "prettier --plugin ./x .",
        "prettier --ignore-path /x .",
        "prettier /etc/hosts",
        "prettier '{../x,a}/*.json'",
        "prettier '{a,}/etc/*.json'",
        "prettier '?(a)/etc/*.json'",
        "prettier ~/x",
      ],
    },
  ),
  biome: {
    ...anyProject,
    reason: "Checks and formats code.",
    options: optionTable("--version"),
    subcommands: new Map(["check", "lint", "format", "ci"].map((name) => [name, biome(name)])),
    examples: {
      match: ["biome --version"],
      notMatch: ["biome upgrade", "biome start", "biome migrate --write", "biome init", "biome --config-path=x check ."],
    },
  },
  vitest: checkReporter(
    tool(
      "Runs tests of the project.",
      "--run --coverage --reporter= -t= --testNamePattern= --project= --bail= --passWithNoTests --silent --no-coverage --no-color --version",
      {
        match: ["vitest --run", "vitest run src --reporter=dot"],
        notMatch: [
          "vitest --config x",
          "vitest --root /tmp",
          "vitest --reporter=/tmp/x.js",
          "vitest --globalSetup x",
          "vitest --outputFile x",
          "vitest -r x",
        ],
      },
    ),
  ),
  jest: checkReporter(
    tool(
      "Runs tests of the project.",
      "--coverage --ci -t= --testNamePattern= --runInBand -i --bail --verbose --silent --passWithNoTests --no-coverage --onlyChanged -o --listTests --maxWorkers= -w= --forceExit --detectOpenHandles --colors --watch? --watchAll? --version",
      {
        match: ["jest", "jest --ci -t 'adds' src"],
        notMatch: [
          "jest -c x",
          "jest --rootDir /tmp",
          "jest --reporters ./x",
          "jest --globalSetup x",
          "jest --setupFiles x",
          "jest --outputFile x",
        ],
      },
    ),
  ),
  pytest: tool(
    "Runs tests of the project; plug-ins, settings and files of arguments are left out.",
    "-q -v -x -s -l -k= -m= -r= -n= --tb= --maxfail= --lf --last-failed --ff --failed-first --co --collect-only --durations= --no-header --no-summary --showlocals --color= --capture= --deselect= --ignore=path --stepwise --sw --exitfirst --quiet --verbose --strict-markers --version",
    {
      match: ["pytest -q tests/", "pytest -x -k 'a and not b' tests/test_a.py::test_b"],
      notMatch: [
        "pytest @args",
        "pytest -p evil",
        "pytest -c x",
        "pytest --rootdir /tmp",
        "pytest -o python_files=*",
        "pytest --basetemp=/tmp/x",
        "pytest --junitxml=x",
        "pytest /tmp",
      ],
    },
  ),
  ruff: {
    ...anyProject,
    reason: "Checks and formats code.",
    options: optionTable("--version -V"),
    subcommands: new Map([
      [
        "check",
        tool(
          "Checks code; --config, -o, --cache-dir and files of arguments are left out.",
          "--fix --no-fix --diff --select= --ignore= --extend-select= --line-length= --output-format= --statistics -q --quiet -v --verbose --no-cache -n --show-files --exit-zero -e --preview --target-version=",
          {
            match: ["ruff check .", "ruff check --fix --select E,F src"],
            notMatch: [
              "ruff check --config /tmp/x .",
              "ruff check -o x .",
              "ruff check @args",
              "ruff check /etc",
              "ruff check --cache-dir /tmp .",
            ],
          },
        ),
      ],
      [
        "format",
        tool(
          "Formats code; --config, --cache-dir and files of arguments are left out.",
          "--check --diff --line-length= -q --quiet -v --verbose --no-cache -n --preview --target-version=",
          {
            match: ["ruff format .", "ruff format --check src"],
            notMatch: ["ruff format --config x .", "ruff format @args", "ruff format /tmp"],
          },
        ),
      ],
    ]),
    examples: { match: ["ruff --version"], notMatch: ["ruff server", "ruff clean", "ruff --config x check ."] },
  },
  mypy: tool(
    "Checks types; settings, interpreters, reports and files of arguments are left out.",
    "--strict --ignore-missing-imports --no-error-summary --pretty --show-error-codes --show-column-numbers --show-error-context -p= --package= -m= --module= --follow-imports= --check-untyped-defs --disallow-untyped-defs --no-incremental --python-version= --warn-unused-ignores --warn-return-any --explicit-package-bases --namespace-packages --version -V",
    {
      match: ["mypy src", "mypy --strict -p app"],
      notMatch: [
        "mypy @args",
        "mypy --config-file /tmp/x src",
        "mypy --python-executable ./x src",
        "mypy --install-types src",
        "mypy --html-report /tmp/x src",
        "mypy --cache-dir /tmp src",
        "mypy /tmp/a.py",
      ],
    },
  ),
  black: tool(
    "Formats code; --config and -c are left out.",
    "--check --diff -q --quiet -v --verbose -l= --line-length= -t= --target-version= -S --skip-string-normalization --version",
    {
      match: ["black --check .", "black -l 100 src"],
      notMatch: ["black --config /tmp/x .", "black /tmp", "black -c x", "black --stdin-filename /tmp/x -"],
    },
  ),
};
