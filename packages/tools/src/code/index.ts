import codeRun from "./code-run.ts";

export { type CodeRequest, type CodeRunner, codeCapability } from "./code-capability.ts";
export { codeRun };

export const codeTools = [codeRun] as const;
