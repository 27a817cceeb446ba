import type { Word } from "../words/decode-word.ts";
import { judgePathWord, type Objection } from "../words/judge-path-word.ts";

const alone = new Set(
  "-a -and -o -or -not ! ( ) , -print -print0 -prune -quit -empty -true -false -readable -writable -executable -depth -d -xdev -mount -daystart -noleaf -nouser -nogroup -ls".split(
    " ",
  ),
);
const withText = new Set(
  `-type -xtype -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum
  -regex -iregex -regextype -printf -newermt -path -ipath -wholename`.split(/\s+/),
);
const withPath = new Set("-name -iname -newer -samefile -lname".split(" "));

/** Judges starting points and predicates of find; -exec, -ok, -delete and -fprint and their kin are not on the lists. */
export function checkFind(words: readonly Word[]): Objection {
  const expression = words.findIndex((word) => /^[-(!,]/.test(word.text) && !/^-[LHP]$/.test(word.text));
  const end = expression < 0 ? words.length : expression;
  for (const word of words.slice(0, end)) {
    const objection = /^-[LHP]$/.test(word.text) ? undefined : (findGlob(word) ?? judgePathWord(word, "read"));
    if (objection) return objection;
  }
  for (let at = end; at < words.length; at++) {
    const { text } = words[at] as Word;
    if (findGlob(words[at] as Word)) return findGlob(words[at] as Word);
    if (alone.has(text)) continue;
    const value = words[++at];
    if (!withText.has(text) && !withPath.has(text)) return `the predicate ${JSON.stringify(text)} of find is not on the reviewed list`;
    if (!value) return `the predicate ${text} has no value`;
    const objection = findGlob(value) ?? (withPath.has(text) || value.tilde ? judgePathWord(value, "read") : undefined);
    if (objection) return objection;
  }
  return undefined;
}

/** True when find prints names and nothing else. */
export function findListsFiles(words: readonly Word[]): boolean {
  return !words.some((word) => word.text === "-printf" || word.text === "-ls");
}

function findGlob(word: Word): Objection {
  return word.glob ? `${JSON.stringify(word.text)} may expand to predicates of find; put it in quotes` : undefined;
}
