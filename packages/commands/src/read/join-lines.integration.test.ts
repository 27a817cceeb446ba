import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readLine } from "./analyse-line.ts";

/** What bash makes of a line, with `a` and `b` as programs that print their arguments. */
function runInBash(line: string): string {
  const programs = `a() { printf 'a'; printf '<%s>' "$@"; echo; }; b() { printf 'b'; printf '<%s>' "$@"; echo; }\n`;
  const { stdout } = spawnSync("bash", ["--noprofile", "--norc", "-c", `${programs}${line}`], { encoding: "utf8", input: "" });
  return stdout;
}

test("a line that goes on on the next one has the words that bash gives it, or is not read at all (R-EX-3)", () => {
  const pieces = fc.constantFrom("a", "b", " ", " ", "\\\n", "\\\n", "\\\n ", " \\\n", "\\", "\n", "'", '"', "#", ";", "&&", "&", "x");
  let read = 0;
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 3, maxLength: 12 }), (parts) => {
      const line = `a ${parts.join("")}`;
      const reading = readLine(line);
      if (!reading.ok || !line.includes("\\\n")) return;
      const programs = reading.commands.map(({ argv }) => argv.map(({ text }) => text));
      if (programs.some(([name]) => name !== "a" && name !== "b")) return;
      read += 1;
      const expected = programs.map(
        ([name, ...words]) => `${name}${words.length > 0 ? words.map((word) => `<${word}>`).join("") : "<>"}\n`,
      );
      expect([line, runInBash(line)]).toEqual([line, expected.join("")]);
    }),
    { numRuns: 1_500, seed: 7 },
  );
  expect(read).toBeGreaterThan(50);
});
