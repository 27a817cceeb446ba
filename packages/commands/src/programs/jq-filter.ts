import type { Objection } from "../words/judge-path-word.ts";
import type { ScannedArguments } from "../words/scan-arguments.ts";

/** No env, no input_filename, no modules, no definitions. */
const reviewed = new Set(
  `length keys values map map_values select has to_entries from_entries with_entries type sort sort_by group_by unique unique_by add first
  last nth join split splits test match capture scan sub gsub tostring tonumber not empty and or if then elif else end any all flatten
  range floor ceil round min max min_by max_by reverse contains inside startswith endswith ltrimstr rtrimstr trim ltrim rtrim
  ascii_downcase ascii_upcase explode implode recurse walk path paths leaf_paths getpath del null true false as reduce foreach in index
  indices rindex limit until while repeat try catch error tojson fromjson todate fromdate strftime now transpose combinations abs pick
  input inputs debug objects arrays strings numbers booleans nulls iterables scalars utf8bytelength`.split(/\s+/),
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
    const inString: boolean = filter[at] === '"' || (filter[at] === ")" && open.at(-1) === '"');
    const shape: RegExp = inString ? piece : token;
    shape.lastIndex = inString ? at + 1 : at;
    const found = shape.exec(filter);
    if (!found) return `the jq filter ${JSON.stringify(filter)} holds more than the reviewed syntax`;
    if (inString && filter[at] === ")") open.pop();
    at = shape.lastIndex;
    if (found[1] === "\\(") open.push('"');
    const word = inString ? '"' : found[0];
    if (/^[([{]$/.test(word)) open.push(word);
    if (/^[)\]}]$/.test(word)) open.pop();
    // Between if and end a comma gives several values, also inside braces.
    const isKey = open.at(-1) === "{" && /^[{,]$/.test(previous) && !/\bif\b/.test(filter);
    if (/^[A-Za-z_]/.test(word) && !isKey && !reviewed.has(word)) return `the jq function ${word} is not on the reviewed list`;
    if (word.trim() !== "") previous = word;
  }
  return undefined;
}
