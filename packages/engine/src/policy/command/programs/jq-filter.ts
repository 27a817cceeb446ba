import type { Objection } from "../judge-path-word.ts";
import type { ScannedArguments } from "../scan-arguments.ts";

const reviewed = new Set(
  `length keys values map select has to_entries from_entries with_entries type sort sort_by group_by unique unique_by add first last join
  split test tostring tonumber not empty and or if then elif else end any all flatten range floor ceil round min max min_by max_by reverse
  contains inside startswith endswith ltrimstr rtrimstr ascii_downcase ascii_upcase recurse paths del null true false as reduce in index
  limit tojson fromjson`.split(/\s+/),
);
const token =
  /"(?:[^"\\]|\\["\\/bfnrtu])*"|\.[A-Za-z_]\w*|\$(?!ENV\b|__)[a-z_]\w*|[A-Za-z_]\w*|\d+(?:\.\d+)?|[.[\]|,:(){}?<>=!+\-*/%;]|\s+|@(?:text|json|csv|tsv|html|uri|base64|sh)\b/y;

export function checkJq({ operands }: ScannedArguments): Objection {
  const filter = operands[0]?.text;
  if (filter === undefined) return "the jq filter is missing";
  token.lastIndex = 0;
  while (token.lastIndex < filter.length) {
    const found = token.exec(filter)?.[0];
    if (found === undefined) return `the jq filter ${JSON.stringify(filter)} holds more than the reviewed syntax`;
    if (/^[A-Za-z_]/.test(found) && !reviewed.has(found)) return `the jq function ${found} is not on the reviewed list`;
  }
  return undefined;
}
