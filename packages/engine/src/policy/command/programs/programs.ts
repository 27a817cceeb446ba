import type { ProgramRule } from "../program-rule.ts";
import { gitRule } from "./git-programs.ts";
import { projectPrograms } from "./project-programs.ts";
import { searchPrograms } from "./search-programs.ts";
import { textPrograms } from "./text-programs.ts";

/** Every reviewed program. A program that is not here asks, unless a rule writes out the whole command. */
export const programs: ReadonlyMap<string, ProgramRule> = new Map(
  Object.entries({ ...textPrograms, ...searchPrograms, git: gitRule, ...projectPrograms }),
);

// pnpm and yarn are left out: even for --version they obey settings of the folder that name another program to run.
const versions = ["git", "node", "npm", "python3"].map((name) => `${name} --version`);

/** Patterns of the reviewed programs that change nothing: what `builtin_rules` allows. */
export const builtInPatterns: readonly string[] = [...programs].flatMap(([name, rule]) => patternsOf(name, rule)).concat(versions);

function patternsOf(prefix: string, rule: ProgramRule): string[] {
  if (rule.subcommands) return [...rule.subcommands].flatMap(([name, subcommand]) => patternsOf(`${prefix} ${name}`, subcommand));
  return rule.readOnly ? [`${prefix} *`] : [];
}
