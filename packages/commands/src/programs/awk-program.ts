import type { Objection } from "../words/judge-path-word.ts";
import type { ScannedArguments } from "../words/scan-arguments.ts";

const statements = new Set("BEGIN END if else while for in do break continue next exit print printf delete".split(" "));
/** Variables of awk itself that only shape text; ENVIRON, ARGV, ARGC, PROCINFO and the like are left out. */
const variables = new Set("NR NF FNR FS OFS RS ORS FILENAME SUBSEP RSTART RLENGTH CONVFMT OFMT".split(" "));
/** No system, no close, no fflush; getline is not even a name. */
const functions = new Set(
  "length substr index split sub gsub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand gensub strftime systime".split(
    " ",
  ),
);
const names = new Set(
  "getline function func switch case default return nextfile include load namespace system close fflush asort asorti mktime strtonum".split(
    " ",
  ),
);

const blank = /[ \t\n]+/y;
const text = /"(?:[^"\\\n]|\\[^\n])*"/y;
const number = /\d+(?:\.\d+)?(?![\w.])/y;
const name = /[A-Za-z_]\w*/y;
/** A slash never stands inside brackets here, and a bracket closes before the next one opens: every awk ends it at the same place. */
const pattern = /\/(?:[^/\\[\]\n]|\\[^\n]|\[(?!\^?\])(?:\[:[a-z]+:\]|\\[tn.]|[^\]\\[/\n])+\])*\//y;
/** No single `|`, no `@`, no `#`, no backslash; `/` is read apart. */
const operator = /\|\||&&|==|!=|<=|>=|!~|\+\+|--|[-+*%^]=|[-+*%^!~<>=?:;,(){}[\]$]/y;
/** After these a slash can only begin a pattern. */
const beforePattern = /^(?:\|\||&&|!|~|!~|[,;({}]|)$/;

export function checkAwk({ operands, options }: ScannedArguments): Objection {
  const [first, ...files] = operands;
  if (!first || first.text.length > 500 || !isReviewed(first.text))
    return "the awk program holds more than the reviewed part of the language";
  const set = options.filter((option) => option.name === "-v").map((option) => /^(\w+)=/.exec(option.value?.text ?? "")?.[1] ?? "");
  if (!set.every((variable) => variables.has(variable) || (/^[a-z]/.test(variable) && !names.has(variable))))
    return "-v of awk sets more than a plain variable";
  return files.some((word) => word.text.includes("=")) ? "an argument of awk with = sets a variable" : undefined;
}

/** Reads the program token by token; a `>` after print outside of brackets, which could open a file, is refused. */
function isReviewed(program: string): boolean {
  let previous = "";
  let printing = false;
  let depth = 0;
  for (let at = take(blank, program, 0).length; at < program.length; ) {
    const read = readToken(program, at, previous);
    at += read.length;
    if (read === "" || (/^[A-Za-z_]/.test(read) && !isNameReviewed(read, program[at]))) return false;
    depth += read === "(" ? 1 : read === ")" ? -1 : 0;
    if (read.startsWith(">") && printing && depth <= 0) return false;
    if (read === "print" || read === "printf") depth = 0;
    printing = read === "print" || read === "printf" || (printing && !/^[;{}]$/.test(read));
    const gap = take(blank, program, at);
    // A line's end can be the end of a value, after which a slash begins a pattern.
    previous = gap.includes("\n") && isValue(read) ? "\n" : read;
    at += gap.length;
  }
  return true;
}

function readToken(program: string, at: number, previous: string): string {
  const token = [text, number, name, operator].map((shape) => take(shape, program, at)).find((found) => found !== "");
  if (program[at] === "/" && program[at + 1] !== "=" && isValue(previous)) return "/";
  return token ?? (beforePattern.test(previous) ? take(pattern, program, at) : "");
}

/** After a number, an index or a variable every awk divides. After `)` it may be the condition of an if that ends. */
function isValue(token: string): boolean {
  return /^(?:\]|\d.*)$/.test(token) || (/^[A-Za-z_]/.test(token) && !statements.has(token) && !functions.has(token));
}

function take(shape: RegExp, program: string, at: number): string {
  shape.lastIndex = at;
  return shape.exec(program)?.[0] ?? "";
}

function isNameReviewed(word: string, next: string | undefined): boolean {
  if (next === "(" && !statements.has(word)) return functions.has(word);
  return (
    statements.has(word) || variables.has(word) || word === "length" || (/^[a-z_]/.test(word) && !names.has(word) && !functions.has(word))
  );
}
