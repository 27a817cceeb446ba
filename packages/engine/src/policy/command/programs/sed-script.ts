import type { Objection } from "../judge-path-word.ts";
import type { ScannedArguments } from "../scan-arguments.ts";

/** GNU sed ends a part at the first delimiter that no backslash precedes, also inside brackets. */
const part = (delimiter: string) => `(?:\\\\[^\\n]|[^\\\\\\n${delimiter}])*`;
const address = `(?:\\d+|\\$|\\d+~\\d+|/${part("/")}/I?)`;
const range = `(?:${address}(?:,[+~]?${address})?)?\\s*!?\\s*`;
const delimited = ["/", "|", "#", ",", "@", "%", ":", "_"]
  .map((delimiter) => {
    const shown = delimiter === "|" ? "\\|" : delimiter;
    const body = part(delimiter === "/" ? "/" : shown);
    return `s${shown}${body}${shown}${body}${shown}[gpiIm0-9]*|y${shown}${body}${shown}${body}${shown}`;
  })
  .join("|");
/** Commands that print, delete, move and substitute. The commands e, r, R, w, W and F, and the flags e and w of s, are left out. */
const script = new RegExp(`^\\s*(?:${range}(?:[pdDgGhHnNPx=]|q\\d*|${delimited})\\s*(?:[;\\n]\\s*|$))+$`);

export function checkSed({ options, operands }: ScannedArguments): Objection {
  const given = options.filter(({ name }) => name === "-e" || name === "--expression");
  const scripts = given.length > 0 ? given.map((option) => option.value?.text ?? "") : [operands[0]?.text ?? ""];
  const strange = scripts.find((text) => text.length > 1_000 || !script.test(text));
  return strange === undefined ? undefined : `the sed script ${JSON.stringify(strange)} holds more than the reviewed commands`;
}
