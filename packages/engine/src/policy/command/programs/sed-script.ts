import type { Objection } from "../judge-path-word.ts";
import type { ScannedArguments } from "../scan-arguments.ts";

/** GNU sed ends a part at the first delimiter that no backslash precedes, also inside brackets. */
const part = (delimiter: string) => `(?:\\\\[^\\n]|[^\\\\\\n${delimiter}])*`;
const address = `(?:\\d+~\\d+|\\d+|\\$|/${part("/")}/I?)`;
const range = `(?:${address}(?:,[+~]?${address})?)?\\s*(?:!\\s*)?`;
const delimited = ["/", "\\|", "#", ",", "@", "%", ":", "_"]
  .map((mark) => `s${mark}${part(mark)}${mark}${part(mark)}${mark}[gpiIm0-9]*|y${mark}${part(mark)}${mark}${part(mark)}${mark}`)
  .join("|");
/** Commands that print, delete, move and substitute. The commands e, r, R, w, W and F, and the flags e and w of s, are left out. */
const command = new RegExp(`[\\s;]*(?:${range}(?:[pdDgGhHnNPx=]|q\\d*|${delimited})[ \\t]*(?=[;\\n]|$)|$)`, "y");

export function checkSed({ options, operands }: ScannedArguments): Objection {
  const given = options.filter(({ name }) => name === "-e" || name === "--expression");
  const scripts = given.length > 0 ? given.map((option) => option.value?.text ?? "") : [operands[0]?.text ?? ""];
  const strange = scripts.find((script) => !isReviewed(script));
  return strange === undefined ? undefined : `the sed script ${JSON.stringify(strange)} holds more than the reviewed commands`;
}

function isReviewed(script: string): boolean {
  command.lastIndex = 0;
  while (command.test(script)) if (command.lastIndex >= script.length) return true;
  return false;
}
