export { count, oneLine } from "@toolwright/engine/visible-text";
export { jsonLine } from "./log-line.ts";
export { openLogger } from "./open-logger.ts";
export { readLines } from "./read-lines.ts";
export { describeSystemError } from "./system-words.ts";
