import type { Word } from "../words/decode-word.ts";
import { judgePathWord, type Objection } from "../words/judge-path-word.ts";

const operators = new Set(
  "-a -o ! ( ) = == != -eq -ne -lt -le -gt -ge -nt -ot -ef -z -n -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -L -O -G -S".split(" "),
);

/** Judges the words of `test` and `[`. */
export function checkTest(words: readonly Word[]): Objection {
  for (const word of words) {
    if (word.text === "]" || operators.has(word.text) || word.status) continue;
    if (word.text.startsWith("-") && !/^-\d+$/.test(word.text))
      return `the operator ${JSON.stringify(word.text)} of test is not on the reviewed list`;
    const index = word.text.indexOf("[");
    if (index !== -1 && /[$`]/.test(word.text.slice(index))) return `${JSON.stringify(word.text)} is an index that some shells evaluate`;
    if (word.glob) return `${JSON.stringify(word.text)} may expand to operators of test; put it in quotes`;
    const objection = word.text.includes("\n") ? undefined : judgePathWord(word, "read");
    if (objection) return objection;
  }
  return undefined;
}
