import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Candidate, CandidateSet } from "./candidate.ts";
import { citeOf } from "./cite-of.ts";
import { foldText } from "./fold-text.ts";
import { rank } from "./rank.ts";
import { detectLanguage, namesOf, readQuery } from "./read-query.ts";
import { saysTheSame } from "./says-the-same.ts";

test.each([
  ["Café Zürich, 3rd floor!", "cafe zurich 3rd floor"],
  ["Straße, Øre, Łódź, ﬁle", "strasse ore lodz file"],
  ["abc-123 /etc/hosts a_b", "abc 123 etc hosts a b"],
  ["ЁЖ йод", "еж йод"],
  ["हिन्दी में", "हिन्दी में"],
  ["東京都 Tower", "東京 京都 tower"],
  ["a\u0000b \ud800c", "a b c"],
  ["…!", ""],
])("%j is folded to %j", (text, folded) => {
  expect(foldText(text)).toBe(folded);
});

test("a folded text stays as it is when it is folded again, whatever it holds", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => foldText(foldText(text)) === foldText(text)));
  expect(foldText("𝔸ᴮ")).toBe("ab");
});

test.each([
  ["When do the deploys go out?", "english"],
  ["release", "english"],
  ["Wann ist das Büro geschlossen?", "german"],
  ["Où est la clé de la maison ?", "french"],
  ["¿Dónde está la llave de la casa?", "spanish"],
  ["Когда мы выпускаем версию?", "russian"],
  ["東京の天気", "simple"],
])("%j is read as %s", (text, language) => {
  expect(detectLanguage(text)).toBe(language);
});

describe("a query", () => {
  it("is its telling words, its codes and what it quotes", () => {
    expect(readQuery('Why does "payment declined" show up for INV_2041 and maxRetries?')).toEqual({
      text: 'Why does "payment declined" show up for INV_2041 and maxRetries?',
      folded: "why does payment declined show up for inv 2041 and maxretries",
      words: ["payment", "declined", "show", "inv", "2041", "maxretries"],
      codes: ["payment declined", "inv 2041", "maxretries"],
      phrases: ["payment declined"],
      language: "english",
    });
  });

  it("keeps its words when all of them are small, and may be empty", () => {
    expect(readQuery("who are you").words).toEqual(["who", "are", "you"]);
    expect(readQuery(" …\u0000 ")).toMatchObject({ words: [], codes: [], folded: "" });
  });

  it("is read in time that grows with its length", () => {
    const start = performance.now();
    for (const part of ["a-", '"', "A1", "„x", "東"]) readQuery(part.repeat(100_000 / part.length));
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});

test("the names of a text are its key, codes and what has a capital, up to 500 characters", () => {
  expect(namesOf("we pay Kowalski for INV_2041 in build_v2", "billing.contact")).toBe("billing contact kowalski inv 2041 build v2");
  expect(namesOf("Name ".repeat(10) + Array.from({ length: 200 }, (_, at) => `N${at}`).join(" ")).length).toBeLessThanOrEqual(500);
});

const entry = (id: string, text: string, more: Partial<Candidate> = {}): Candidate => ({
  id,
  text,
  names: "",
  savedAt: 1,
  evidence: { text: 1 },
  ...more,
});
const setOf = (candidates: readonly Candidate[], more: Partial<CandidateSet> = {}): CandidateSet => ({
  candidates,
  frequencies: {},
  total: 100,
  ...more,
});
const order = (query: string, set: CandidateSet, limit = 5) => rank(readQuery(query), set, { limit }).ranked.map(({ id }) => id);

describe("an order", () => {
  it("puts the rare word before the usual one", () => {
    const set = setOf([entry("usual", "the server is slow"), entry("rare", "the flamingo is slow")], {
      frequencies: { server: 60, flamingo: 1 },
    });
    expect(order("flamingo server", set)[0]).toBe("rare");
  });

  it("puts an exact code before what is near in meaning", () => {
    const near = entry("near", "bills that nobody paid", { evidence: { vector: 0.62 } });
    expect(order("INV_2041", setOf([near, entry("code", "INV_2041 goes to Brown", { evidence: { text: 1, vector: 0.3 } })]))[0]).toBe(
      "code",
    );
  });

  it("puts what is near in meaning before what shares a word that is everywhere", () => {
    const set = setOf(
      [entry("word", "our team eats at noon"), entry("meaning", "deploys go out on Tuesdays", { evidence: { vector: 0.6 } })],
      {
        ...{ frequencies: { release: 0, team: 90 } },
      },
    );
    expect(order("when can the team release", set)[0]).toBe("meaning");
  });

  it("goes by likeness of names where a name is misspelt", () => {
    const set = setOf([
      entry("other", "Brown pays", { evidence: { names: 0.1 } }),
      entry("name", "Kowalski pays", { evidence: { names: 0.7 } }),
    ]);
    expect(order("Kowalsky", set)).toEqual(["name"]);
  });

  it("takes no word for a name that only begins like it", () => {
    const set = setOf([
      entry("bank", "The account is at Commerzbank", { evidence: { names: 0.57 } }),
      entry("meaning", "Describe a change in the imperative", { evidence: { vector: 0.4 } }),
    ]);
    expect(order("what should a commit message look like", set)).toEqual(["meaning"]);
  });

  it("is the nearest in meaning, marked weak, where so few entries are there that none can stand out", () => {
    const near = entry("near", "Deploys go out on Tuesdays", { evidence: { vector: 0.247 } });
    const far = entry("far", "The logo is blue", { evidence: { vector: 0.21 } });
    const query = readQuery("when can we release");
    const few = rank(query, setOf([far, near], { total: 2 }), { limit: 5 });
    expect(few).toMatchObject({
      ranked: [
        { id: "near", weak: true },
        { id: "far", weak: true },
      ],
      weak: true,
    });
    expect(rank(query, setOf([far, near], { total: 200 }), { limit: 5 }).ranked).toEqual([]);
  });

  it.each([
    ["when is the review", "The review is on Thursday", "The review is on paper"],
    ["how many people review it", "It takes two reviews", "It takes good reviews"],
    ["where is the review", "They review it in the kitchen", "They review it quickly"],
    ["who does the review", "The review is done by Marta", "The review is done by hand"],
    ["why is there a review", "There is a review because builds broke", "There is a review of builds"],
  ])("%s: puts what holds that before what is a little nearer", (question, answer, other) => {
    const set = setOf([entry("a", other, { evidence: { vector: 0.52 } }), entry("b", answer, { evidence: { vector: 0.51 } })]);
    expect(order(question, set)[0]).toBe("b");
  });

  it("puts the newer of two that say the same first, and leaves what speaks of others", () => {
    const old = entry("old", "The standup starts at 9:30 on Monday", { savedAt: 1 });
    const young = entry("young", "The standup starts at 10:00 on Tuesday", { savedAt: 2 });
    expect(order("when does the standup start on Monday at 9:30", setOf([old, young]))[0]).toBe("young");
    const [julia, henrik] = [
      entry("julia", "The design team has Julia as its head"),
      entry("henrik", "The design team has Henrik as its head", { savedAt: 2 }),
    ];
    expect(order("who is head of design", setOf([julia, henrik]))[0]).toBe("henrik");
    const [anna, bruno] = [entry("anna", "The desk of Anna is 12"), entry("bruno", "The desk of Bruno is 14", { savedAt: 2 })];
    expect(order("the desk of Anna", setOf([anna, bruno]))[0]).toBe("anna");
  });

  it("lets two others pass an older one that a newer before it says, too", () => {
    const texts = [
      "The standup is at 9:30",
      "The standup is at 10:15",
      "Lunch is at noon",
      "The market is on Saturdays",
      "Rent is due soon",
    ];
    const set = setOf(texts.map((text, at) => entry(text, text, { savedAt: at === 1 ? 2 : 1, evidence: { vector: 0.55 - at / 100 } })));
    expect(order("our meeting in the morning", set)).toEqual([1, 2, 3, 0, 4].map((at) => texts[at]));
  });

  it("leaves few and marks them where nothing speaks for any", () => {
    const far = Array.from({ length: 9 }, (_, at) => entry(`far${at}`, "something else", { evidence: { vector: at < 4 ? 0.36 : 0.3 } }));
    const found = rank(readQuery("the colour of the moon"), setOf(far), { limit: 5 });
    expect([found.weak, found.ranked.length, found.ranked.every(({ weak }) => weak)]).toEqual([true, 3, true]);
    expect(rank(readQuery("the colour of the moon"), setOf(far.slice(4)), { limit: 5 }).ranked).toEqual([]);
    expect(rank(readQuery("x"), setOf([]), { limit: 5 })).toEqual({ ranked: [], weak: true });
  });

  it("does not hang on the order in which candidates came, and scores from 0 to 1", () => {
    const some = fc.record({
      ...{
        id: fc.uuid(),
        text: fc.constantFrom("red fish", "blue fish A_1", "a red bird"),
        names: fc.constantFrom("", "fish"),
        savedAt: fc.nat(3),
      },
      evidence: fc.record(
        { text: fc.integer({ min: 1, max: 60 }), vector: fc.float({ min: -1, max: 1, noNaN: true }) },
        { requiredKeys: [] },
      ),
    });
    fc.assert(
      fc.property(fc.uniqueArray(some, { selector: ({ id }) => id, maxLength: 12 }), (candidates) => {
        const { ranked } = rank(readQuery("red fish A_1"), setOf(candidates), { limit: 50 });
        expect(rank(readQuery("red fish A_1"), setOf(candidates.toReversed()), { limit: 50 }).ranked).toEqual(ranked);
        for (const { score } of ranked) expect(score).toSatisfy((value: number) => value > 0 && value <= 1);
      }),
    );
  });
});

test.each<[one: string, other: string, alike: number, same: boolean]>([
  ["Lunch is at 12", "Lunch is at 13 now", 0, true],
  ["Lunch is at 12", "The printer is on floor 2", 0, false],
  ["We eat together at noon", "Lunch is at twelve", 0.9, true],
  ["The host of staging is db-1.internal", "The host of staging is db-2.internal", 0.95, false],
  ["The boss of Anna is Carl", "The boss of Bruno is Carl", 0.9, false],
])("%j and %j", (one, other, alike, same) => {
  expect(saysTheSame(entry("a", one), entry("b", other), alike)).toBe(same);
});

test("a passage is cited by its page or lines and its headings", () => {
  expect(citeOf({ title: "Handbook.pdf", page: 12, headings: ["Refunds"] })).toBe("Handbook.pdf, page 12 (Refunds)");
  expect(citeOf({ title: "a.md", headings: ["a.md", "Setup", "Linux"], lines: [3, 9] })).toBe("a.md, lines 3-9 (Setup › Linux)");
  expect(citeOf({ title: "a.md", headings: [], lines: [3, 3] })).toBe("a.md, line 3");
});
