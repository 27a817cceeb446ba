import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ExecCase, judgeExecCase } from "../testing/exec-corpus.ts";

const corpus = new URL("../../../../test/corpora/exec-bypass.jsonl", import.meta.url);
const cases = readFileSync(corpus, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as ExecCase & { why: string });

describe("the exec corpus is answered as listed (R-EX-1)", () => {
  test.each(cases.map((item) => [item.id, item.expect, item.why, item] as const))("%s must be %s: %s", (_id, expected, _why, item) => {
    const answer = judgeExecCase(item);
    if (expected === "ask") expect(answer).not.toBe("allow");
    else expect(answer).toBe(expected);
  });
});
