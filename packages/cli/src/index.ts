export { exitCodes } from "./exit-code.ts";
export type { Io } from "./io.ts";
export { runProgram } from "./program.ts";
export { type CommonOptions, readSettings } from "./settings.ts";
