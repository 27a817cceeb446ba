import { builtInPatterns } from "../programs/programs.ts";
import { type CommandRule, compileRule } from "./command-rules.ts";

/** Rules that allow the reviewed programs which change nothing, as `ls` and `git log`. */
export const builtInRules: readonly CommandRule[] = builtInPatterns.flatMap(
  (pattern) => compileRule(pattern, "allow", `default.commands[${JSON.stringify(pattern)}]`) ?? [],
);
