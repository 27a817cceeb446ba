import type { Objection } from "../words/judge-path-word.ts";
import type { ProgramRule } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments } from "../words/scan-arguments.ts";

const plain = ({ operands }: ScannedArguments): Objection => {
  const strange = operands.find(({ text }) => !/^[\w#][\w./-]*$/.test(text));
  return strange && `${JSON.stringify(strange.text)} is no plain name, but may be an address`;
};
/** A subcommand that asks a service and changes nothing there; its operands are plain names, no addresses. */
export const readingService = (
  reason: string,
  options: string,
  more: Partial<ProgramRule> & Pick<ProgramRule, "examples">,
): ProgramRule => ({
  trustsFolder: true,
  operands: "text",
  reason,
  options: optionTable(options),
  check: plain,
  ...more,
});
