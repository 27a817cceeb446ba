import type { Objection } from "../judge-path-word.ts";
import type { ScannedArguments } from "../scan-arguments.ts";

// Every repetition below ends in a character that cannot begin the next one, so that no text takes long to refuse.
const text = `"(?:[^"\\\n]|\\[tn"\\])*"`;
const value = `(?:\$\d+\b|\$NF\b|NF\b|NR\b|FNR\b|\d+(?:\.\d+)?\b|${text})`;
const comparison = `${value}\s*(?:==|!=|<=|>=|<|>)\s*${value}`;
const match = `(?:\$\d+\s*!?~\s*)?/(?:[^/\\\n]|\\[^\n])*/`;
const test = `(?:!\s*)?(?:${comparison}|${match})`;
const condition = `${test}(?:\s*(?:&&|\|\||,)\s*${test})*`;
const items = `${value}(?:(?:\s*,\s*|\s+|(?=["$]))${value})*`;
/** No `>` or `|` after print, where they would open a file or a program; no functions, so no system() and no getline. */
const print = `\{\s*print(?:\s+${items}|${text})?\s*(?:;\s*)?\}`;
const program = new RegExp(`^\s*(?:${condition}|(?:${condition}\s*)?${print})\s*$`);

export function checkAwk({ operands }: ScannedArguments): Objection {
  const [first, ...files] = operands;
  if (!first || first.text.length > 500 || !program.test(first.text))
    return "the awk program holds more than a reviewed condition and print";
  return files.some((word) => word.text.includes("=")) ? "an argument of awk with = sets a variable" : undefined;
}
