export { type CommandFinding, compareEffects, type Effect, type Quorum, type Risk } from "./finding.ts";
export { type GitAccess, type GitNeed, gitAccessOf } from "./git/git-access.ts";
export { findGitCommands, type GitCommand, type GitLine } from "./git/git-commands.ts";
export { createJudge, type JudgeOptions, type LineVerdict } from "./judge/create-judge.ts";
export { type Autonomy, type CommandCall, type CommandSettings, judgeCommands } from "./judge/judge-commands.ts";
export { runsCode } from "./judge/judge-coverage.ts";
export { type ImplicitCode, implicitCode } from "./programs/implicit-code.ts";
export { findProgram } from "./programs/programs.ts";
export type { Destination, NamedFile } from "./reach/destination.ts";
export { findLineDestinations } from "./reach/find-destinations.ts";
export { analyseLine, type LineAnalysis } from "./read/analyse-line.ts";
export type { InnerCommand } from "./read/unwrap-command.ts";
export { builtInRules } from "./rules/built-in-rules.ts";
export { type CommandPattern, compilePattern, suggestPattern } from "./rules/command-pattern.ts";
export {
  type CommandRule,
  compileRule,
  findCovering,
  findRestricting,
  indexRules,
  type RuleIndex,
  type RuleMatch,
} from "./rules/command-rules.ts";
export type { Word } from "./words/decode-word.ts";
export type { ProgramRule } from "./words/program-rule.ts";
export { baseName, resolveArgv } from "./words/resolve-program.ts";
