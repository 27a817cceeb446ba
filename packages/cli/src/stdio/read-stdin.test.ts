import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { mostInputBytes, readInput, readText } from "./read-stdin.ts";

it("reads what comes in pieces", async () => {
  expect(await readInput(Readable.from([Buffer.from("{"), Buffer.from("}")]))).toBe("{}");
});

it("keeps no more than a command reads, and says so", async () => {
  let given = 0;
  const piece = Buffer.alloc(1024 * 1024, "x");
  const endless = (function* () {
    while (given++ < 40) yield piece;
  })();
  await expect(readInput(Readable.from(endless))).rejects.toThrow(/input_too_large.*16777216/);
  expect(given).toBe(41);
  expect(() => readText(Buffer.alloc(mostInputBytes + 1))).toThrow(/input_too_large/);
});
