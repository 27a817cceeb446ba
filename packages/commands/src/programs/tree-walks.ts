import type { Word } from "../words/decode-word.ts";
import type { ScannedArguments } from "../words/scan-arguments.ts";
import { type ScanWalk, type TreeWalk, wholeTree } from "../words/tree-walk.ts";

const here: Word = { text: ".", glob: false, tilde: false, splitQuotes: false };
const has = ({ options }: ScannedArguments, pattern: RegExp) => options.some(({ name }) => pattern.test(name));
const values = ({ options }: ScannedArguments, pattern: RegExp) =>
  options.flatMap(({ name, value }) => (value && pattern.test(name) ? [value.text] : []));
const withoutSlash = (name: string) => name.replace(/\/$/, "");
const orHere = (paths: readonly Word[]) => (paths.length > 0 ? paths : [here]);

/**
 * Narrows the names that grep searches. The last `--include` or `--exclude` that fits a name decides. Where none fits, the first of them all does: the
 * name is searched unless that is an `--include`. So the first kind alone narrows the names, and only where the other kind does not follow.
 */
function grepNames(scanned: ScannedArguments): Pick<TreeWalk, "only" | "except"> {
  const [first] = scanned.options.filter(({ name }) => /^--(?:in|ex)clude$/.test(name));
  const included = values(scanned, /^--include$/);
  if (first?.name === "--include") return { only: included, except: [] };
  return { only: [], except: included.length > 0 ? [] : values(scanned, /^--exclude$/) };
}

/** `grep -r`; without it a folder among the operands is an error to grep. */
export const grepWalk: ScanWalk = (scanned, { paths }) => {
  const recurses = has(scanned, /^(?:-r|-R|--recursive|--dereference-recursive)$/) || values(scanned, /^-d$/).includes("recurse");
  if (!recurses) return undefined;
  return {
    ...wholeTree,
    roots: orHere(paths),
    reads: "content",
    follows: has(scanned, /^(?:-R|--dereference-recursive)$/),
    ...grepNames(scanned),
    exceptFolders: values(scanned, /^--exclude-dir$/).map(withoutSlash),
  };
};

/** Types of ripgrep by the endings that they stand for; another type may stand for any file. */
const endings: ReadonlyMap<string, readonly string[]> = new Map(
  `ts=ts,tsx,mts,cts js=js,jsx,mjs,cjs py=py,pyi rust=rs go=go md=md,markdown json=json css=css html=html,htm java=java c=c,h cpp=cpp,hpp,cc,hh ruby=rb yaml=yaml,yml toml=toml`
    .split(" ")
    .map((entry) => entry.split("="))
    .map(([type = "", list = ""]) => [type, list.split(",").map((ending) => `*.${ending}`)]),
);

/** A pattern or type that chooses a file chooses it also where it is hidden or ignored. */
export const ripgrepWalk: ScanWalk = (scanned, { paths, isFed }) => {
  if (has(scanned, /^(?:--type-list|--version|-V)$/) || (paths.length === 0 && isFed)) return undefined;
  const globs = values(scanned, /^(?:-g|--glob|--iglob)$/);
  const types = values(scanned, /^(?:-t|--type)$/).map((type) => endings.get(type));
  const only = [...globs.filter((glob) => !glob.startsWith("!")), ...types.flatMap((list) => list ?? [])];
  // The last that fits decides.
  const lastChosen = globs.findLastIndex((glob) => !glob.startsWith("!"));
  const left = globs.slice(lastChosen + 1).map((glob) => glob.slice(1));
  const isChosen = only.length > 0 || types.length > 0;
  const unrestricted = scanned.options.filter(({ name }) => /^(?:-u|--unrestricted)$/.test(name)).length;
  return {
    ...wholeTree,
    roots: orHere(paths),
    reads: has(scanned, /^--files$/) ? "names" : "content",
    follows: has(scanned, /^(?:-L|--follow)$/),
    hidden: isChosen || unrestricted > 1 || has(scanned, /^(?:-\.|--hidden)$/),
    ignores: !isChosen && unrestricted === 0 && !has(scanned, /^--no-ignore/),
    only: types.includes(undefined) ? [] : only,
    except: left,
    exceptFolders: left.map(withoutSlash),
  };
};

/** What git is given as paths: patterns of its own, and words with a meaning of their own, stand for anything below the folder. */
const pathspecs = (paths: readonly Word[]) => (paths.some(({ text }) => /^:|[*?[\\]/.test(text)) ? [...paths, here] : paths);

export const gitGrepWalk: ScanWalk = (scanned, { paths }) => {
  // What git tracks is searched also where it is ignored.
  return { ...wholeTree, roots: orHere(pathspecs(paths)), reads: "content", tracked: !has(scanned, /^--untracked$/) };
};

export const gitFilesWalk: ScanWalk = (scanned, { paths }) => ({
  ...wholeTree,
  roots: orHere(pathspecs(paths)),
  reads: "names",
  listsLinks: true,
  tracked: !has(scanned, /^(?:-o|--others|-i|--ignored|-k|--killed)$/),
});

/** `git add` counts as reading what it stages: later commands of the line print that as changes. */
export const gitAddWalk: ScanWalk = (scanned, { paths }) => ({
  ...wholeTree,
  roots: orHere(pathspecs(paths)),
  reads: "content",
  ignores: !has(scanned, /^-f$/),
});

/** Members of an archive: folders with all that is in them. */
export const archiveWalk = (roots: readonly Word[], follows: boolean): TreeWalk => ({ ...wholeTree, roots, reads: "content", follows });

/** Files of two folders are compared also without `-r`, and links are followed. */
export const diffWalk: ScanWalk = (scanned, { paths }) => {
  const left = values(scanned, /^(?:-x|--exclude)$/);
  return { ...wholeTree, roots: paths, reads: "content", follows: true, except: left, exceptFolders: left };
};

/** Links are followed below a folder with `-L` alone. */
export const listWalk: ScanWalk = (scanned, { paths }) => {
  const follows = has(scanned, /^(?:-R|--recursive)$/) && has(scanned, /^(?:-L|-H|--dereference)/);
  const hidden = has(scanned, /^(?:-a|-A|-f|--all|--almost-all)$/);
  return { ...wholeTree, roots: orHere(paths), reads: "names", follows, listsLinks: true, hidden };
};

/** Tests that leave names out, which only narrow what is found. */
const narrowing = /^-i?(?:name|path|wholename)$/;

/** What `find` begins with, and the names that it is bound to. */
export function findWalk(words: readonly Word[]): TreeWalk {
  const at = words.findIndex(({ text }) => /^[-(!,]/.test(text) && !/^-[LHP]$/.test(text));
  const starts = (at < 0 ? words : words.slice(0, at)).filter(({ text }) => !/^-[LHP]$/.test(text));
  const texts = words.map(({ text }) => text);
  const isDropped = (index: number) => /^(?:!|-not)$/.test(texts[index] ?? "") && narrowing.test(texts[index + 1] ?? "");
  const kept = texts.filter((_, index) => !isDropped(index) && !isDropped(index - 1) && !isDropped(index - 2));
  const isChoice = kept.some((text) => /^(?:-o|-or|,|\(|!|-not)$/.test(text));
  const names = isChoice ? [] : kept.flatMap((text, index) => (/^-i?name$/.test(text) ? (kept[index + 1] ?? []) : []));
  const isOfFiles = !isChoice && kept.some((text, index) => text === "-type" && kept[index + 1] === "f");
  const follows = texts.some((text) => /^(?:-L|-follow)$/.test(text));
  return { ...wholeTree, roots: orHere(starts), reads: "names", follows, listsLinks: !isOfFiles, only: names.slice(0, 1) };
}
