import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { wordsIn } from "../packages/tools/src/ranking/fold-text.ts";
import { functionWords } from "../packages/tools/src/ranking/languages.ts";
import { stemWord } from "../packages/tools/src/ranking/stem-word.ts";
import { flat, guideQuestions, memoryQuestions, tuningQuestions } from "./questions/read-questions.ts";

const contentOf = (text: string) =>
  new Set(
    wordsIn(text)
      .filter((word) => !functionWords.english.has(word))
      .map((word) => stemWord(word, "english")),
  );

describe("questions over memories", () => {
  const of = (kind: string) => memoryQuestions.filter((question) => question.kind === kind);

  it("are a hundred over a hundred memories, half of each kind held apart", () => {
    expect(memoryQuestions.length).toBe(100);
    expect(new Set(memoryQuestions.flatMap(({ memories }) => memories)).size).toBe(100);
    for (const kind of ["paraphrase", "code", "pair", "unanswerable"]) {
      const held = of(kind).filter((question) => question.held).length;
      expect(Math.abs(of(kind).length - 2 * held)).toBeLessThanOrEqual(1);
    }
  });

  it("are others than those for tuning, of which none is held", () => {
    const asked = new Set(memoryQuestions.map(({ question }) => wordsIn(question).join(" ")));
    const again = tuningQuestions.filter(({ question, kind }) => kind !== "unanswerable" && asked.has(wordsIn(question).join(" ")));
    expect(again).toEqual([]);
    expect(tuningQuestions.some(({ held }) => held)).toBe(false);
  });

  it.each([...of("paraphrase"), ...tuningQuestions.filter(({ kind }) => kind === "paraphrase")])(
    "$question: has at most one word of what answers",
    ({ question, memories }) => {
      const there = contentOf(memories[0] ?? "");
      expect([...contentOf(question)].filter((word) => there.has(word)).length).toBeLessThanOrEqual(1);
    },
  );
});

test("each of a hundred questions over the guide names a passage that is there", () => {
  expect(guideQuestions.length).toBe(100);
  const missing = guideQuestions.filter(({ file, answer }) => {
    const text = readFileSync(new URL(`../docs/guide/${file}`, import.meta.url), "utf8");
    return !flat(text).includes(answer);
  });
  expect(missing, "The guide does not hold these any more: name what answers them now in test/questions/guide.jsonl.").toEqual([]);
});
