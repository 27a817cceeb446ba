import type { Objection } from "../judge-path-word.ts";
import type { ScannedArguments } from "../scan-arguments.ts";

// What separates two repetitions cannot begin either of them, so that no text takes long to refuse.
const text = String.raw`"(?:[^"\\\n]|\\[tn"\\])*"`;
const value = String.raw`(?:\$\d+\b|\$NF\b|NF\b|NR\b|FNR\b|\d+(?:\.\d+)?\b|${text})`;
const comparison = String.raw`${value}\s*(?:==|!=|<=|>=|<|>)\s*${value}`;
const match = String.raw`(?:\$\d+\s*!?~\s*)?/(?:[^/\\\n]|\\[^\n])*/`;
const test = String.raw`(?:!\s*)?(?:${comparison}|${match})`;
const condition = String.raw`${test}(?:\s*(?:&&|\|\||,)\s*${test})*`;
const items = String.raw`${value}(?:(?:\s*,\s*|\s+|(?=["$]))${value})*`;
/** No `>` or `|` after print, where they would open a file or a program; no functions, so no system() and no getline. */
const print = String.raw`\{\s*print(?:\s+${items}|${text})?\s*(?:;\s*)?\}`;
const program = new RegExp(String.raw`^\s*(?:${condition}|(?:${condition}\s*)?${print})\s*$`);

export function checkAwk({ operands }: ScannedArguments): Objection {
  const [first, ...files] = operands;
  if (!first || first.text.length > 500 || !program.test(first.text)) {
    return "the awk program holds more than a reviewed condition and print";
  }
  return files.some((word) => word.text.includes("=")) ? "an argument of awk with = sets a variable" : undefined;
}
