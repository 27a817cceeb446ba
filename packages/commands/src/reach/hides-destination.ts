import { findStrangeAssignment, judgeWords } from "../judge/judge-coverage.ts";
import { archivePrograms } from "../programs/archive-programs.ts";
import { fileChangers } from "../programs/file-changers.ts";
import { filePrograms } from "../programs/file-programs.ts";
import { gitRule } from "../programs/git-programs.ts";
import { searchPrograms } from "../programs/search-programs.ts";
import { shellBuiltins } from "../programs/shell-builtins.ts";
import { systemPrograms } from "../programs/system-programs.ts";
import { textPrograms } from "../programs/text-programs.ts";
import type { InnerCommand } from "../read/analyse-line.ts";
import { resolveProgram } from "../words/decode-word.ts";
import type { ProgramRule } from "../words/program-rule.ts";

/** Programs that connect nowhere but where their words say, with arguments that are reviewed. */
const plainPrograms: ReadonlyMap<string, ProgramRule> = new Map(
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

/**
 * True for a command whose words do not tell where it connects: an interpreter, a script, a build tool, a program that is not reviewed, and a
 * reviewed one with arguments that may run something.
 */
export function hidesDestination(command: InnerCommand): boolean {
  const [name] = command.argv;
  if (findStrangeAssignment(command.assignments) !== undefined) return true;
  if (!name) return false;
  if (name.glob || name.tilde || name.splitQuotes) return true;
  const program = plainPrograms.get(resolveProgram(name.text));
  if (!program) return true;
  const { rule, objection } = judgeWords(program, command.argv.slice(1));
  if (objection !== undefined || rule.interpreter === true || rule.passesOn === true) return true;
  return command.appended && rule.globSafe !== true;
}
