import type { Objection } from "../words/judge-path-word.ts";
import type { ScannedArguments } from "../words/scan-arguments.ts";

/** For programs that take `@FILE` for the arguments in that file, which nobody reviewed. */
export function refuseArgumentFiles({ operands, options }: ScannedArguments): Objection {
  const word = [...operands, ...options.flatMap(({ value }) => value ?? [])].find(({ text }) => text.startsWith("@"));
  return word && `${JSON.stringify(word.text)} names a file of further arguments`;
}
