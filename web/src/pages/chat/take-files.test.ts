import { describe, expect, it } from "vitest";
import { takeFiles } from "./take-files.ts";

const file = (name: string, size = 1) => new File(["x".repeat(size)], name, { type: "text/plain" });
const unreadable = Object.assign(file("folder"), { arrayBuffer: () => Promise.reject(new Error("NotReadableError")) });

describe("files that are given to a message", () => {
  it("are added to those that are there, and a sentence says which are not", async () => {
    const had = [file("a.txt")];
    const { files, problems } = (await takeFiles([file("b.txt", 10_000_000), file("c.txt", 10_000_001), unreadable]))(had);
    expect(files.map(({ name, type, size }) => [name, type, size])).toEqual([
      ["a.txt", "text/plain", 1],
      ["b.txt", "text/plain", 10_000_000],
    ]);
    expect(problems).toEqual([
      "c.txt has 10,000,001 bytes and an attachment at most 10,000,000 bytes: it was not added.",
      "folder cannot be read: it was not added. Pack a folder into a file first.",
    ]);
  });

  it("are at most ten", async () => {
    const given = Array.from({ length: 11 }, (_, index) => file(`${index}`));
    const { files, problems } = (await takeFiles(given))([]);
    expect(files).toHaveLength(10);
    expect(problems).toEqual(["A message has at most 10 attachments: 1 was not added."]);
  });
});
