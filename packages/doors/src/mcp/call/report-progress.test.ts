import { createManualClock } from "@toolwright/engine/testing";
import { expect, it } from "vitest";
import { type ProgressWord, reportProgress } from "./report-progress.ts";

function open(options: { readonly after?: number; readonly doing?: string } = {}) {
  const clock = createManualClock(0);
  const words: ProgressWord[] = [];
  return { clock, words, report: reportProgress({ clock, everyMs: 5_000, send: (word) => void words.push(word), ...options }) };
}
const rises = (words: readonly ProgressWord[]) => words.every(({ progress }, at) => at === 0 || progress > (words[at - 1]?.progress ?? 0));

it("says that a silent call still runs, again and again", async () => {
  const { clock, words } = open();
  await clock.advance(15_000);
  expect(words).toEqual([5, 10, 15].map((seconds) => ({ progress: seconds, message: `Running for ${seconds} s` })));
});

it("shows the last line of output, at most once a second, and again when time has passed", async () => {
  const { clock, words, report } = open();
  await clock.advance(1_000);
  report.onOutput("compiling\nlinking\n");
  for (let count = 0; count < 100; count++) report.onOutput(`more ${count}\n`);
  expect(words.map(({ message }) => message)).toEqual(["linking"]);
  await clock.advance(5_000);
  expect(words.map(({ message }) => message)).toEqual(["linking", "more 99"]);
  expect(rises(words)).toBe(true);
});

it("shows no control characters, and no more of a line than a client can draw", async () => {
  const { clock, words, report } = open();
  await clock.advance(1_000);
  report.onOutput(`\u001b[31m${"x".repeat(100_000)}`);
  await clock.advance(1_000);
  report.onOutput("50 %\r60 %\u0007\r");
  expect(words.every(({ message = "" }) => message.length <= 400)).toBe(true);
  expect(words.map(({ message }) => message).join("")).not.toMatch(/\p{Cc}/u);
});

it("passes the tool's own count on as it is, and drops what does not rise", () => {
  const { words, report } = open();
  report.onProgress({ done: 0, total: 2, message: "none" });
  report.onProgress({ done: 1, total: 2, message: undefined });
  report.onProgress({ done: 1, total: 2, message: "again" });
  expect(words).toEqual([
    { progress: 0, total: 2, message: "none" },
    { progress: 1, total: 2 },
  ]);
});

it("rises always, whatever time, output and count come to", async () => {
  const { clock, words, report } = open();
  await clock.advance(20_000);
  report.onProgress({ done: 1, total: 10, message: undefined });
  await clock.advance(30_000);
  report.onOutput("line\n");
  report.onProgress({ done: 2, total: 10, message: undefined });
  await clock.advance(12_000);
  report.onProgress({ done: 10, total: 10, message: undefined });
  expect(words.length).toBeGreaterThan(10);
  expect(rises(words)).toBe(true);
  expect(words.at(-1)).toMatchObject({ progress: 30, total: 30 });
});

it("goes on after what was said before, in other words", async () => {
  const { clock, words, report } = open({ after: 40, doing: "Waiting for a person" });
  await clock.advance(5_000);
  expect(words).toEqual([{ progress: expect.closeTo(40), message: "Waiting for a person for 5 s" }]);
  expect(report.last()).toBeGreaterThan(40);
});

it("says nothing once it is closed", async () => {
  const { clock, words, report } = open();
  report.close();
  report.onOutput("late\n");
  report.onProgress({ done: 1, total: 1, message: undefined });
  await clock.advance(60_000);
  expect(words).toEqual([]);
});
