export { type CommandFinding, type Containment, compareEffects, type Effect, type Quorum, type Risk } from "./finding.ts";
export { findGitCommands, type GitAccess, type GitCommand, type GitLine, type GitNeed, gitNeedOf } from "./git/git-lines.ts";
export type { ListPart } from "./git/split-line.ts";
export { createJudge, type JudgeOptions, type LineVerdict } from "./judge/create-judge.ts";
export { type Autonomy, type CommandCall, type CommandSettings, judgeCommands } from "./judge/judge-commands.ts";
export { runsCode } from "./judge/judge-coverage.ts";
export { type ImplicitCode, implicitCode } from "./programs/implicit-code.ts";
export { findProgram } from "./programs/programs.ts";
export type { Destination, NamedFile } from "./reach/destination.ts";
export { findLineDestinations } from "./reach/find-destinations.ts";
export { findTouched, type Touched } from "./reach/find-touched.ts";
export type { InnerCommand } from "./read/analyse-line.ts";
export { analyseLine, type LineAnalysis } from "./read/analyse-line.ts";
export { builtInRules } from "./rules/built-in-rules.ts";
export {
  type CommandPattern,
  type CommandRule,
  compilePattern,
  compileRule,
  findCovering,
  findRestricting,
  indexRules,
  type RuleIndex,
  type RuleMatch,
  suggestPattern,
} from "./rules/command-rules.ts";
export type { OpenedFolder, Word } from "./words/decode-word.ts";
export { baseName, resolveArgv } from "./words/decode-word.ts";
export type { ProgramRule } from "./words/program-rule.ts";
export type { TreeWalk } from "./words/tree-walk.ts";
