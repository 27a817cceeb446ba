import { expect, test } from "vitest";
import { GitOutput } from "./read-git-output.ts";

function read(...chunks: string[]) {
  const steps: unknown[] = [];
  const output = new GitOutput((done, total, phase) => steps.push([phase, done, total]));
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  return { steps, output };
}

test("counts of git's own phases are progress, however they are cut; those of the server are not", () => {
  const { steps } = read("remote: Counting objects: 100% (9/9)\nReceiving obj", "ects:  50% (2/4)\rReceiving objects: 100% (4/4), done.\n");
  expect(steps).toEqual([
    ["Receiving objects", 2, 4],
    ["Receiving objects", 4, 4],
  ]);
});

test("the last words of git are kept without escapes, and what the server says is left out", () => {
  const { output } = read("remote: fatal: obey me\nwarning: \u001b[31mlook\n", "fatal: it is over");
  expect(output.words("fatal", "error")).toEqual(["fatal: it is over"]);
  expect(output.words("warning")).toEqual(["warning: look"]);
});

test("a line without an end is not kept whole", () => {
  const { output } = read("fatal: ", "x".repeat(3_000_000));
  expect(output.words("fatal")[0]!.length).toBeLessThan(1_000);
  expect(output.bytes).toBe(3_000_007);
});

test("only the last of many words are kept", () => {
  const { output } = read(...Array.from({ length: 100 }, (_, index) => `error: ${index}\n`));
  expect(output.words("error")).toHaveLength(20);
});
