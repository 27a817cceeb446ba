import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ExecCase, judgeExecCase } from "../testing/exec-corpus.ts";

const cases = ["exec-bypass.jsonl", "exec-own.jsonl", "exec-adversarial.jsonl"].flatMap((name) =>
  readFileSync(new URL(`../../../../test/corpora/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ExecCase & { why: string }),
);

describe("the exec corpora are answered as listed (R-EX-1)", () => {
  test.each(cases.map((item) => [item.id, item.expect, item.why, item] as const))("%s must be %s: %s", (_id, expected, _why, item) => {
    const answer = judgeExecCase(item);
    if (expected === "ask") expect(answer).not.toBe("allow");
    else expect(answer).toBe(expected);
  });
});
