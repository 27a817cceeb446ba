import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { judgePathCase, type PathCase } from "../testing/path-corpus.ts";
import { bestAnchoring, descriptorAnchoring, portableAnchoring } from "./anchor.ts";

const cases = ["paths.jsonl", "paths-own.jsonl"].flatMap((name) =>
  readFileSync(new URL(`../../../../test/corpora/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as PathCase),
);

test("the corpora are there", () => expect(cases.length).toBeGreaterThanOrEqual(200));

describe.runIf(bestAnchoring === descriptorAnchoring)("R-FS-1 R-FS-3 R-FS-5 R-FS-6 path corpus through descriptors", () => {
  test.each(cases)("$id: $why", async (one) => {
    const verdict = await judgePathCase(one);
    expect(verdict.pass, verdict.detail).toBe(true);
  });
});

describe("R-FS-1 path corpus through the portable fallback", () => {
  test.each(cases)("$id: $why", async (one) => {
    const verdict = await judgePathCase(one, { anchoring: portableAnchoring });
    expect(verdict.pass, verdict.detail).toBe(true);
  });
});
