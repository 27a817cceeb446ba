import { decodeWord, NotUnderstood, type Variables, type Word } from "../words/decode-word.ts";

/** What joins the tests between `[[` and `]]`. */
const joinsTests: ReadonlySet<string> = new Set(["&&", "||", "!"]);
/** No number is compared: the shell evaluates what stands for one. */
const plainTest = /^(?:-[abcdefghkprstuwxzLOGNSn]|==?|!=|[\w@%+:,./-]+|"[\w@%+:,./${}-]*"|'[\w@%+:,./-]*')$/;

/** The words of `[[ ... ]]` as `test` takes them. Throws `NotUnderstood` where one of them is not plain. */
export function readTestWords(source: string, variables: Variables): readonly Word[] {
  const words = source
    .slice("[[".length, -"]]".length)
    .split(/[ \t]+/)
    .filter((word) => word !== "" && !joinsTests.has(word));
  if (words.length === 0 || !words.every((word) => plainTest.test(word) && !/^-(?:eq|ne|lt|le|gt|ge)$/.test(word)))
    throw new NotUnderstood("a test is written in an unusual form");
  return words.map((word) => decodeWord(word, variables));
}
