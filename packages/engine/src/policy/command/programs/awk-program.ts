import type { Objection } from "../judge-path-word.ts";
import type { ScannedArguments } from "../scan-arguments.ts";

const text = `"(?:[^"\\\\\\n]|\\\\[tn"\\\\])*"`;
const value = `(?:\\$\\d+|\\$NF|NF|NR|FNR|\\d+(?:\\.\\d+)?|${text})`;
const comparison = `${value}\\s*(?:==|!=|<=|>=|<|>)\\s*${value}`;
const match = `(?:\\$\\d+\\s*!?~\\s*)?/(?:[^/\\\\\\n]|\\\\[^\\n])*/`;
const test = `!?\\s*(?:${comparison}|${match})`;
const condition = `${test}(?:\\s*(?:&&|\\|\\||,)\\s*${test})*`;
/** No `>` or `|` after print, where they would open a file or a program; no functions, so no system() and no getline. */
const print = `\\{\\s*print(?:\\s+${value}(?:\\s*,?\\s*${value})*|\\s*${text}|\\s*)\\s*;?\\s*\\}`;
const program = new RegExp(`^\\s*(?:${condition}|(?:${condition})?\\s*${print})\\s*$`);

export function checkAwk({ operands }: ScannedArguments): Objection {
  const [first, ...files] = operands;
  if (!first || first.text.length > 500 || !program.test(first.text))
    return "the awk program holds more than a reviewed condition and print";
  return files.some((word) => word.text.includes("=")) ? "an argument of awk with = sets a variable" : undefined;
}
