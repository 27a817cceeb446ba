import { describe, expect, it } from "vitest";
import { choosePassages } from "./choose-passages.ts";
import { findQuotes } from "./find-quotes.ts";

const parts = [
  { page: 1, headings: [], text: "The tenant may not sublet the flat with-\nout the land-\nlord\u2019s consent. This holds\nfor" },
  { page: 2, headings: [], text: "every room.\n\nThe rent is 1,200.50 EUR a month." },
];
const found = (...quotes: string[]) => findQuotes(quotes, parts).map(({ text, page }) => [text, page]);

describe("quotes are looked up in a document", () => {
  it("whatever their blanks, line ends, broken words and marks", () => {
    const quote = "may not sublet the flat  without the landlord's consent.";
    expect(found(quote, "The rent is\n1,200.50 EUR")).toEqual([
      [quote, 1],
      ["The rent is\n1,200.50 EUR", 2],
    ]);
  });

  it("over the lines of a cell of a table", () =>
    expect(findQuotes(["Ann Example Main Road 5"], [{ headings: [], text: "| Ann Example <br> Main Road 5 | b |" }])).toHaveLength(1));

  it("over the end of a page, from the page that they begin on", () =>
    expect(found("holds for every room")).toEqual([["holds for every room", 1]]));

  it("word for word: what is changed, cut together or next to nothing is not there", () => {
    expect(found("The tenant may sublet the flat", "The rent is 1,200.60 EUR", "The tenant ... every room", "of", "", "  ")).toEqual([]);
  });
});

describe("what a model is given of a document", () => {
  const pages = Array.from({ length: 50 }, (_, index) => ({
    page: index + 1,
    headings: [],
    text: `Filler number ${index} about the house.`,
  }));
  const long = pages.with(36, { page: 37, headings: [], text: "Pets: a dog is welcome in the house." });

  it("is all of it where there is room", () => {
    const { passages, total } = choosePassages(long, { question: "May I have a dog?", room: 100_000 });
    expect([passages.length, total]).toEqual([50, 50]);
  });

  it("is else what holds the rarest words of the question, in the order of the document", () => {
    const { passages } = choosePassages(long, { question: "Is a dog allowed in the house?", room: 300 });
    expect(passages.length).toBeLessThan(6);
    expect(passages.map(({ page }) => page)).toContain(37);
    expect(passages.map(({ page = 0 }) => page)).toEqual(passages.map(({ page = 0 }) => page).toSorted((a, b) => a - b));
  });
});
