import { type ListRules, letterRules, matchList } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";

const mostPatternLength = 1000;
const mostAlternatives = 64;

/** A glob of `*`, `?`, `**` and `{a,b}`; every other character stands for itself. A glob without `/` matches names in any folder. */
export interface GlobPattern {
  /** *Contract:* its time grows with the product of the two lengths at most, whatever the glob. */
  matches(path: string): boolean;
  /** Globs of names such that every match has one of these names; for a first, coarse choice. */
  readonly names: readonly string[];
}

/** Throws `invalid_input` for a glob that is empty, too long or has too many alternatives. */
export function parseGlob(glob: string): GlobPattern {
  const plain = glob.length > mostPatternLength ? "" : glob.replace(/^(?:\.?\/)+/, "");
  if (plain === "") throw badGlob(`is empty or longer than ${mostPatternLength} characters`);
  const patterns = expandBraces(plain).map((one) => (one.includes("/") ? one : `**/${one}`).split("/"));
  return {
    matches: (path) => patterns.some((pattern) => matchList(pattern, path.split("/"), partRules)),
    names: [...new Set(patterns.map((pattern) => pattern.at(-1)!.replace(/\*\*+/g, "*") || "*"))],
  };
}

function expandBraces(glob: string): string[] {
  let done = [""];
  for (let at = 0; at < glob.length; ) {
    const group = glob[at] === "{" ? readGroup(glob, at) : undefined;
    const choices = group ? group.choices.flatMap(expandBraces) : [glob[at]!];
    done = done.flatMap((head) => choices.map((choice) => head + choice));
    if (done.length > mostAlternatives) throw badGlob(`has more than ${mostAlternatives} alternatives`);
    at = group ? group.end : at + 1;
  }
  return done;
}

/** The alternatives of the braces that open at `start`, or undefined when these are plain characters. */
function readGroup(glob: string, start: number): { readonly choices: string[]; readonly end: number } | undefined {
  const choices: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < glob.length; at += 1) {
    if (glob[at] === "{") depth += 1;
    const closes = glob[at] === "}" && --depth === 0;
    if (closes || (glob[at] === "," && depth === 1)) {
      choices.push(glob.slice(from, at));
      from = at + 1;
    }
    if (closes) return choices.length > 1 ? { choices, end: at + 1 } : undefined;
  }
  return undefined;
}

const partRules: ListRules = {
  isMany: (item) => item === "**",
  isOne: (item, value) => matchList(Array.from(item), Array.from(value), letterRules),
};

function badGlob(problem: string): ToolwrightError {
  return new ToolwrightError("invalid_input", `The glob ${problem}; use *, ?, ** and {a,b}.`);
}
