import type { Objection } from "../judge-path-word.ts";
import type { ScannedArguments } from "../scan-arguments.ts";

const reviewed = new Set(
  `length keys values map select has to_entries from_entries with_entries type sort sort_by group_by unique unique_by add first last join
  split test tostring tonumber not empty and or if then elif else end any all flatten range floor ceil round min max min_by max_by reverse
  contains inside startswith endswith ltrimstr rtrimstr ascii_downcase ascii_upcase recurse paths del null true false as reduce in index
  limit tojson fromjson map_values getpath path leaf_paths input inputs debug tostream transpose ltrimstr ascii explode implode sub gsub scan capture splits match walk if error try catch until while repeat combinations has now todate fromdate strftime indices rindex utf8bytelength first nth abs trim ltrim rtrim pick objects arrays strings numbers booleans nulls iterables scalars values add`.split(
    /\s+/,
  ),
);
const token =
  /\.[A-Za-z_]\w*|\$(?!ENV\b|__)[A-Za-z_]\w*|[A-Za-z_]\w*|\d+(?:\.\d+)?|[.[\]|,:(){}?<>=!+\-*/%;]|\s+|@(?:text|json|csv|tsv|html|uri|base64|sh)\b/y;
/** A piece of a string up to its end or to an interpolation. */
const piece = /(?:[^"\\]|\\["\\/bfnrtu])*("|\\\()/y;

export function checkJq({ operands }: ScannedArguments): Objection {
  const filter = operands[0]?.text;
  if (filter === undefined) return "the jq filter is missing";
  /** What is open: brackets by their character, and `"` for an interpolation. */
  const open: string[] = [];
  let previous = "";
  for (let at = 0; at < filter.length; ) {
    const inString = filter[at] === '"' || (filter[at] === ")" && open.at(-1) === '"');
    const shape = inString ? piece : token;
    shape.lastIndex = inString ? at + 1 : at;
    const found = shape.exec(filter);
    if (!found) return `the jq filter ${JSON.stringify(filter)} holds more than the reviewed syntax`;
    if (inString && filter[at] === ")") open.pop();
    at = shape.lastIndex;
    if (found[1] === "\\(") open.push('"');
    const word = inString ? '"' : found[0];
    if (/^[([{]$/.test(word)) open.push(word);
    if (/^[)\]}]$/.test(word)) open.pop();
    const isKey = open.at(-1) === "{" && /^[{,]$/.test(previous);
    if (/^[A-Za-z_]/.test(word) && !isKey && !reviewed.has(word)) return `the jq function ${word} is not on the reviewed list`;
    if (word.trim() !== "") previous = word;
  }
  return undefined;
}
