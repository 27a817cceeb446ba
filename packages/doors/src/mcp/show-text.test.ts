import fc from "fast-check";
import { expect, it } from "vitest";
import { showText } from "./show-text.ts";

it.each([
  { name: "plain words", text: "rm -rf build\n  and more", shown: "rm -rf build\n  and more" },
  { name: "a zero-width space", text: "a\u200bb", shown: "a⟨U+200B⟩b" },
  { name: "a change of direction", text: "a\u202eb", shown: "a⟨U+202E⟩b" },
  { name: "a tag character", text: "a\u{e0041}b", shown: "a⟨U+E0041⟩b" },
  { name: "an escape", text: "a\u001b[2Jb", shown: "a⟨U+001B⟩[2Jb" },
  { name: "a no-break space", text: "a\u00a0b", shown: "a⟨U+00A0⟩b" },
  { name: "a variation selector", text: "a\ufe0fb", shown: "a⟨U+FE0F⟩b" },
  { name: "half a surrogate pair", text: "a\ud800b", shown: "a⟨U+D800⟩b" },
  { name: "a carriage return", text: "a\rb", shown: "a⟨U+000D⟩b" },
  { name: "a payload behind 4,000 blanks (R-AP-7)", text: `ls${" ".repeat(4000)}; rm x`, shown: "ls ⟨4000 blanks⟩ ; rm x" },
  { name: "a payload behind many lines (R-AP-7)", text: `ls${"\n".repeat(99)}rm x`, shown: "ls ⟨99 blanks⟩ rm x" },
])("shows $name", ({ text, shown }) => {
  expect(showText(text)).toBe(shown);
});

it("leaves nothing hidden in any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(showText(text)).not.toMatch(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]|[^\S\n]{9,}|\n{4,}/u);
    }),
  );
});
