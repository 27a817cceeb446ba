import { resolveProgram } from "../words/decode-word.ts";
import { judgePathWord } from "../words/judge-path-word.ts";
import type { ProgramRule } from "../words/program-rule.ts";
import { archivePrograms } from "./archive-programs.ts";
import { buildPrograms } from "./build-programs.ts";
import { checkPrograms } from "./check-programs.ts";
import { codeRunners, workspaceProgram } from "./code-runners.ts";
import { fileChangers } from "./file-changers.ts";
import { filePrograms } from "./file-programs.ts";
import { gitRule } from "./git-programs.ts";
import { networkPrograms } from "./network-programs.ts";
import { packageManagers } from "./package-managers.ts";
import { searchPrograms } from "./search-programs.ts";
import { servicePrograms } from "./service-programs.ts";
import { shellBuiltins } from "./shell-builtins.ts";
import { systemPrograms } from "./system-programs.ts";
import { textPrograms } from "./text-programs.ts";

/** Programs that connect only where their words say, with arguments that are reviewed. */
export const plainPrograms: ReadonlyMap<string, ProgramRule> = new Map(
  Object.entries({
    ...shellBuiltins,
    ...systemPrograms,
    ...textPrograms,
    ...filePrograms,
    ...searchPrograms,
    ...archivePrograms,
    ...fileChangers,
    git: gitRule,
  }),
);

/** Every reviewed program. A program that is not here asks, unless a rule writes out the whole command. */
export const programs: ReadonlyMap<string, ProgramRule> = new Map([
  ...plainPrograms,
  ...Object.entries({
    ...codeRunners,
    ...packageManagers,
    ...buildPrograms,
    ...checkPrograms,
    ...servicePrograms,
    ...networkPrograms,
  }),
]);

/** The review of a program by the first word of a command: by name, or as a file of the workspace. */
export function findProgram(text: string): ProgramRule | undefined {
  return programs.get(resolveProgram(text)) ?? (isWorkspaceFile(text) ? workspaceProgram : undefined);
}

function isWorkspaceFile(text: string): boolean {
  return text.includes("/") && judgePathWord({ text, glob: false, tilde: false, splitQuotes: false }, "read") === undefined;
}

// pnpm and yarn are left out: even for --version they obey settings of the folder that name another program to run.
const versions = [
  ...["git", "node", "npm", "python3", "java", "javac", "gcc", "g++", "clang", "make", "perl", "php", "bash", "psql"].map(
    (name) => `${name} --version`,
  ),
  ...["ruby --version", "python --version", "python -V", "python3 -V", "node -v", "npm -v", "java -version", "javac -version"],
];

/** Patterns of the reviewed programs that change nothing: what `builtin_rules` allows. */
export const builtInPatterns: readonly string[] = [...programs].flatMap(([name, rule]) => patternsOf(name, rule)).concat(versions);

function patternsOf(prefix: string, rule: ProgramRule): string[] {
  if (rule.subcommands) return [...rule.subcommands].flatMap(([name, subcommand]) => patternsOf(`${prefix} ${name}`, subcommand));
  const modes = [...(rule.modes ?? [])].flatMap(([name, mode]) => patternsOf(`${prefix} ${name}`, mode));
  return rule.readOnly ? [...modes, `${prefix} *`] : modes;
}
