import { describe, expect, it } from "vitest";
import { readMemories } from "./read-memories.ts";

const told = { key: "tone", content: "Short answers.", category: "core", trust: "person", sources: [], savedAt: 1 };
const exported = { ...told, version: 3, createdAt: 0 };

describe("memories of a file", () => {
  it("are lines of JSON or one list, without the numbers of their versions", () => {
    expect(readMemories(`${JSON.stringify(exported)}\n\n${JSON.stringify(exported)}\r\n`)).toEqual([told, told]);
    expect(readMemories(JSON.stringify([exported]))).toEqual([told]);
    expect(readMemories("")).toEqual([]);
  });

  it("are none where the file holds something else", () => {
    for (const text of ["key,content", "null", "[null]", "[{]"])
      expect(() => readMemories(text)).toThrow("Choose one that Export has written.");
  });
});
