import { describe, expect, it } from "vitest";
import { explainForeign, writePrompt } from "./write-prompt.ts";

const notes = { skill: "release-notes", title: "Release\nnotes", instructions: "\n\n## Read the log\n\nThen write." };
const review = { skill: "review", title: "Review", instructions: "" };

describe("the prompt of an agent", () => {
  it("has the usual words where nobody wrote any", () => {
    expect(writePrompt(undefined, [])).toMatch(/^You help people with the tools you have\./);
    expect(writePrompt(" \n", [])).toBe(writePrompt(undefined, []));
  });

  it("has the instructions, then each skill in a line of its title and its first line", () => {
    const prompt = writePrompt("Be short.\n", [review, notes]);
    expect(prompt.split("\n\n").at(0)).toBe("Be short.");
    expect(prompt.split("\n\n").at(-1)).toBe("- release-notes: Release notes | Read the log\n- review: Review");
  });

  it("is the same in any order in which a store gives skills", () => {
    expect(writePrompt("x", [notes, review])).toBe(writePrompt("x", [review, notes]));
  });

  it("cuts a first line that goes on and on", () => {
    const line = writePrompt("x", [{ ...review, instructions: "y".repeat(5_000) }])
      .split("\n")
      .at(-1);
    expect(line).toHaveLength("- review: Review | ".length + 200);
    expect(line).toMatch(/…$/);
  });

  it("says how foreign content is marked where a tool brings some", () => {
    expect(explainForeign("x", [{ foreign: undefined }])).toBe("x");
    expect(explainForeign("x", [{ foreign: undefined }, { foreign: "web" }])).toMatch(/^x\n\n[^\n]*<<foreign_[^\n]*\.$/);
  });
});
