import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { optionTable } from "../words/scan-arguments.ts";
import { anyProject } from "./project-rule.ts";

const passing = (reason: string, examples: ProgramRule["examples"]): ProgramRule => ({
  ...anyProject,
  reason,
  operands: "text",
  pinned: 2,
  examples,
});

const packageScript = (command: string): ProgramRule => ({
  ...passing("Runs a script of package.json; arguments follow after --.", {
    match: [`${command} build`, `cd x && ${command} build`, `${command} lint -- --fix`, `${command} --silent build`],
    notMatch: [command, `${command} build --prefix ../x`, `${command} build x`, `cd .. && ${command} build`, `${command} $X`],
  }),
  options: optionTable("-s --silent --if-present"),
  check: ({ operands, exposed }) =>
    operands.length === 0 ? "the script is not named" : exposed > 1 ? "arguments of the script stand before --" : undefined,
});
const packageTest = (command: string): ProgramRule => ({
  ...passing("Runs the test script of package.json; arguments follow after --.", {
    match: [command, `${command} -- src/a.test.ts`, `CI=1 ${command}`, `NODE_ENV=test ${command}`],
    notMatch: [`${command} --prefix x`, `${command} x`, `${command} --script-shell ./x`, `NODE_OPTIONS=--require=./x ${command}`],
  }),
  options: optionTable("-s --silent"),
  check: ({ exposed }) => (exposed > 0 ? "arguments of the script stand before --" : undefined),
});

const packageManager = (name: string, more: readonly (readonly [string, ProgramRule])[] = []): ProgramRule => ({
  ...anyProject,
  reason: "Scripts of package.json by name. Installing, and running packages that may be downloaded, is left out.",
  options: optionTable("--version -v -s --silent"),
  neutral: new Set(["-s", "--silent"]),
  subcommands: new Map([
    ["test", packageTest(`${name} test`)],
    ["t", packageTest(`${name} t`)],
    ["run", packageScript(`${name} run`)],
    ["run-script", packageScript(`${name} run-script`)],
    ...more,
  ]),
  examples: {
    match: [`${name} --version`],
    notMatch: [
      `${name} install`,
      `${name} add x`,
      `${name} exec x`,
      `${name} dlx x`,
      `${name} publish`,
      `${name} run build`,
      `${name} --prefix x test`,
      `${name} -C x test`,
      `${name} config set registry http://x`,
    ],
  },
});

const listing = (reason: string, options: string, examples: ProgramRule["examples"]): ProgramRule => ({
  ...anyProject,
  reason,
  readOnly: true,
  operands: "text",
  options: optionTable(options),
  examples,
});

/** Package managers of JavaScript. */
export const packageManagers: ProgramTable = {
  npm: packageManager("npm", [
    [
      "ls",
      listing("Lists packages.", "-a --all --depth= --json -l --long", {
        match: ["npm ls", "npm ls --depth=0 zod"],
        notMatch: ["npm ls -g", "npm ls --prefix /root", "npm ls --userconfig=/etc/x"],
      }),
    ],
    [
      "explain",
      listing("Says why a package is there.", "--json", {
        match: ["npm explain zod"],
        notMatch: ["npm explain zod --prefix /root", "npm explain -g zod"],
      }),
    ],
  ]),
  pnpm: packageManager("pnpm"),
  yarn: packageManager("yarn"),
};
