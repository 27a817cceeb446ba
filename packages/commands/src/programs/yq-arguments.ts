import { judgePathWord, type Objection } from "../words/judge-path-word.ts";
import type { ScannedArguments } from "../words/scan-arguments.ts";
import { checkJq } from "./jq-filter.ts";

/** A first argument that is the name of a file is read by some versions of yq, and is no expression then. */
export function checkYq(scanned: ScannedArguments): Objection {
  const [first] = scanned.operands;
  return checkJq(scanned) ?? (first && judgePathWord(first, "read"));
}
