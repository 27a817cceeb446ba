import codeRun from "./code-run.ts";

export { type CodeRunner, codeCapability } from "./code-capability.ts";
export type { ProgramAnswer } from "./prepare-program.ts";
export type { CodeRequest, ProgramEnding } from "./program-threads.ts";
export { codeRun };

export const codeTools = [codeRun] as const;
