import type { Objection } from "../words/judge-path-word.ts";
import type { ScannedArguments } from "../words/scan-arguments.ts";

/** GNU sed ends a part at the first delimiter that no backslash precedes, also inside brackets. */
const part = (delimiter: string) => `(?:\\\\[^\\n]|[^\\\\\\n${delimiter}])*`;
const address = `(?:\\d+~\\d+|\\d+|\\$|/${part("/")}/I?)`;
const range = `(?:${address}(?:,[+~]?${address})?)?\\s*(?:!\\s*)?`;
const delimited = [..."/|#,@%:_!;~=+"]
  .map((mark) => (/[|+]/.test(mark) ? `\\${mark}` : mark))
  .map((mark) => `s${mark}${part(mark)}${mark}${part(mark)}${mark}[gpiIm0-9]*|y${mark}${part(mark)}${mark}${part(mark)}${mark}`)
  .join("|");
/** The text of a, i and c reaches to the end of the line; a backslash at its end would take the next line in. */
const withText = "[aic](?:[ \\t]*\\\\)?[ \\t]*[^\\s\\\\][^\\\\\\n]*(?=\\n|$)";
const jump = ":[ \\t]*\\w+|[btT](?:[ \\t]*\\w+)?";
/**
 * Commands that print, delete, move and substitute, alone or in braces. The commands e, r, R, w, W and F, and the flags e
 * and w of s, are left out. Where a version of sed takes more of the line for a label than is read here, less of it runs.
 */
const command = new RegExp(
  `[\\s;}]*(?:${range}(?:\\{|${withText}|(?:[pdDgGhHnNPxzl=]|q\\d*|Q\\d*|${jump}|${delimited})[ \\t]*(?=[;\\n}]|$))|$)`,
  "y",
);

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
