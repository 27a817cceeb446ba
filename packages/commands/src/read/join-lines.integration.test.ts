import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readLine } from "./analyse-line.ts";

/** What bash makes of each line, with `a` and `b` as programs that print their arguments. */
function runInBash(lines: readonly string[]): readonly string[] {
  const programs = `a() { printf 'a'; printf '<%s>' "$@"; echo; }; b() { printf 'b'; printf '<%s>' "$@"; echo; }`;
  const each = `while IFS= read -r -d '' line; do (eval "$line" < /dev/null); printf '\\0'; done`;
  const input = lines.map((line) => `${line}\0`).join("");
  const { stdout } = spawnSync("bash", ["--noprofile", "--norc", "-c", `${programs}\n${each}`], { encoding: "utf8", input });
  return stdout.split("\0").slice(0, -1);
}

test("a line that goes on on the next one has the words that bash gives it, or is not read at all (R-EX-3)", () => {
  const pieces = fc.constantFrom("a", "b", " ", " ", "\\\n", "\\\n", "\\\n ", " \\\n", "\\", "\n", "'", '"', "#", ";", "&&", "&", "x");
  const expected = new Map<string, string>();
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 3, maxLength: 12 }), (parts) => {
      const line = `a ${parts.join("")}`;
      const reading = readLine(line);
      if (!reading.ok || !line.includes("\\\n")) return;
      const programs = reading.commands.map(({ argv }) => argv.map(({ text }) => text));
      if (programs.some(([name]) => name !== "a" && name !== "b")) return;
      const printed = programs.map(([name, ...words]) => `${name}${words.length > 0 ? words.map((word) => `<${word}>`).join("") : "<>"}\n`);
      expected.set(line, printed.join(""));
    }),
    { numRuns: 1_500, seed: 7 },
  );
  const lines = [...expected.keys()];
  const said = runInBash(lines);
  expect(lines.map((line, index) => [line, said[index]])).toEqual([...expected]);
  expect(lines.length).toBeGreaterThan(50);
});
