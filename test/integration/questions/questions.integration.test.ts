import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Figures, openQuestions } from "./open-questions.ts";

describe("the half of the questions that had no part in the tuning", () => {
  let opened: Awaited<ReturnType<typeof openQuestions>>;
  let figures: Figures;
  beforeAll(async () => {
    opened = await openQuestions();
    figures = await opened.measure(true);
    if (process.env.TOOLWRIGHT_FIGURES)
      process.stdout.write(
        `${JSON.stringify({ held: figures, open: await opened.measure(false), tuning: await opened.measureTuning() })}\n`,
      );
  }, 300_000);
  afterAll(() => opened?.close());
  const partOf = ({ found, of }: { readonly found: number; readonly of: number }) => found / of;

  it("finds every code and name first", () => {
    expect(partOf(figures.codes)).toBe(1);
  });

  it("finds among three what is asked in other words", () => {
    expect(partOf(figures.paraphrases)).toBeGreaterThanOrEqual(0.75);
  });

  it("puts the newer of two first", () => {
    expect(partOf(figures.newerFirst)).toBeGreaterThanOrEqual(0.8);
  });

  it("marks what answers nothing as weak, and gives little of it", () => {
    expect(partOf(figures.unanswerableWeak)).toBeGreaterThanOrEqual(0.85);
    expect(figures.unanswerableMost).toBeLessThanOrEqual(5);
  });

  it("finds a passage of a document in other words with the model, not by words alone, and tells what took part and what waits", async () => {
    const { byMeaning, byWords } = await opened.askCashier();
    expect(byMeaning.passages[0]?.item.text).toContain("ask the cashier");
    expect(byMeaning.ranking).toMatchObject({ parts: expect.arrayContaining(["vectors"]), without: [], weak: false });
    expect(byMeaning.notSearched).toMatchObject([{ state: "queued" }]);
    expect(byWords.ranking.parts).not.toContain("vectors");
    expect(byWords.ranking.without).toEqual(["No embedder is configured, so words and names decide."]);
    expect(byWords.passages.filter(({ weak }) => !weak)).toEqual([]);
  });

  it("finds the passage of the guide among five by words alone", () => {
    expect(partOf(figures.guide)).toBeGreaterThanOrEqual(0.75);
  });
});
