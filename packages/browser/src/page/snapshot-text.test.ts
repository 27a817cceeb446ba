import { describe, expect, test } from "vitest";
import { compareSnapshots } from "./compare-snapshots.ts";
import { hidePasswords } from "./hide-passwords.ts";
import { refsIn } from "./take-snapshot.ts";

describe("refs of a snapshot", () => {
  test.each([
    ['- button "Buy" [ref=e5] [cursor=pointer]', ["e5"]],
    ['  - textbox "Name" [active] [ref=f2e7]: Ann', ["f2e7"]],
    ["- 'link \"It''s: here\" [ref=e9]':", ["e9"]],
    ["- generic [ref=e1]:\n  - row [ref=e2]", ["e1", "e2"]],
    ['- button "Buy [ref=e5]"', []],
    ["- text: - button [ref=e5]", []],
    ['- paragraph [ref=e3]: "[ref=e5]"', ["e3"]],
    ['- button "x\\" [ref=e8]" [ref=e4]', ["e4"]],
  ])("of %j are those that the library gave", (text, refs) => expect(refsIn(text)).toEqual(refs));
});

describe("passwords", () => {
  test.each([
    ['- textbox "Password" [ref=e3]: hunter2-long', "hunter2-long"],
    ['- textbox "Password" [ref=e3]: "a: b-long"', "a: b-long"],
    ['- text: "say \\"quoted-long\\""', '"quoted-long"'],
    ["- textbox [ref=e3]: two words here", "two\n words here"],
  ])("are masked in %j", (text, value) => {
    const masked = hidePasswords(text, [value]);
    expect(masked).toContain("••••••");
    expect(masked).not.toMatch(/hunter2|b-long|quoted|words/);
  });

  test("of a few characters are masked where a field holds them, and leave words alone", () => {
    const text = '- heading "a cat" [ref=e1]\n- textbox "Password" [ref=e2]: a';
    expect(hidePasswords(text, ["a"])).toBe('- heading "a cat" [ref=e1]\n- textbox "Password" [ref=e2]: ••••••');
  });
});

describe("what changed", () => {
  test("is lines that are new and lines that are gone, each as often as it is", () => {
    expect(compareSnapshots("- a\n- b\n- b", "- a\n- b\n- c")).toBe("+ - c\n- - b");
    expect(compareSnapshots("- a\n  - b", "- b\n- a")).toBe("Nothing that a snapshot shows has changed.");
  });

  test("is where the focus is now, and not where it was", () => {
    const before = '- generic [active] [ref=e1]\n- button "A" [ref=e2]\n- button "B" [ref=e3]';
    const between = '- generic [ref=e1]\n- button "A" [active] [ref=e2]\n- button "B" [ref=e3]';
    const after = '- generic [ref=e1]\n- button "A" [ref=e2]\n- button "B!" [active] [ref=e3]';
    expect(compareSnapshots(before, between)).toBe('+ - button "A" [active] [ref=e2]');
    expect(compareSnapshots(between, after)).toBe('+ - button "B!" [active] [ref=e3]\n- - button "B" [ref=e3]');
  });

  test("is bounded", () => {
    const lines = Array.from({ length: 5000 }, (_, line) => `- line ${line}`).join("\n");
    const changed = compareSnapshots("", lines);
    expect(Buffer.byteLength(changed)).toBeLessThan(8_200);
    expect(changed).toMatch(/… \d+ more lines changed: take a snapshot$/);
  });
});
