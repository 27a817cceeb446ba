import { expect, test } from "vitest";
import { wordsOf } from "./words-of-command.ts";

test.each([
  ["plain words", "bash ok.sh", ["bash", "ok.sh"]],
  ["a quoted blank", `bash "my run.sh"`, ["my run.sh"]],
  ["an escaped blank", "bash my\\ run.sh", ["my run.sh"]],
  ["quotes within a word", `bash o'k'".sh"`, ["ok.sh"]],
  ["a line within a word", `sh -c 'cd a && ./b.sh'`, ["a", "./b.sh"]],
  ["a value of an option", "node --import=./hook.js", ["./hook.js"]],
  ["a value that a short option holds", "make -Csub", ["sub"]],
  ["operators without blanks", "true;./a.sh|./b.sh&&(./c.sh)<d.txt", ["./a.sh", "./b.sh", "./c.sh", "d.txt"]],
  ["substitutions", 'echo "$(./a.sh)" `./b.sh`', ["./a.sh", "./b.sh"]],
  ["a quote that never closes", `bash 'ok.sh`, ["bash", "ok.sh"]],
])("%s are found", (_, command, words) => {
  expect([...wordsOf(command)]).toEqual(expect.arrayContaining(words));
});

test("a long line of open quotes and escapes takes no time to speak of", () => {
  const started = performance.now();
  wordsOf(`${`"\\`.repeat(50_000)}'${`\\"`.repeat(50_000)}`);
  expect(performance.now() - started).toBeLessThan(1000);
});
