import { describe, expect, test } from "vitest";
import { floodKinds } from "./flood/flood-kinds.ts";
import { type Flooded, faultsOf, leastQuietReads, limitOfReads } from "./flood/judge-flood.ts";

const kind = { reached: ["200"], heldBack: ["503 busy"], least: 10 };
const probed = {
  read: { p50: 5, p95: 20, count: 1_200, failed: 0 },
  health: { most: 90, count: 1_200, failed: 0 },
  ownDelayMs: 1,
};
const flooded: Flooded = { ...probed, answers: { 200: 12, "503 busy": 400 } };

describe("the verdict on a flood", () => {
  test("is good where others were served, and the flood reached what it floods", () => {
    expect(faultsOf(kind, flooded, 50)).toEqual([]);
  });

  test.each<[name: string, seen: Partial<Flooded>, fault: RegExp]>([
    ["whose requests all find nobody", { answers: { "no answer: fetch failed": 9_000 } }, /0 requests reached it/],
    ["whose key is refused", { answers: { "401 unauthorized": 9_000 } }, /0 requests reached it/],
    ["whose requests are all held back", { answers: { "503 busy": 9_000 } }, /0 requests reached it/],
    ["with an answer that it does not expect", { answers: { 200: 12, "404 tool_not_found": 1 } }, /1 answers are not/],
    ["in which the other tenant waits", { read: { ...probed.read, p95: 51 } }, /p95 is over 50 ms/],
    ["in which the other tenant is refused", { read: { ...probed.read, failed: 1 } }, /1 reads failed/],
    ["in which /healthz is late", { health: { ...probed.health, most: 251 } }, /healthz took over 250 ms/],
    ["in which /healthz fails", { health: { ...probed.health, failed: 2 } }, /2 requests of \/healthz failed/],
    ["in which nothing was measured", { read: { p50: 0, p95: 0, count: 0, failed: 0 } }, /nothing was measured/],
  ])("%s is bad", (_name, seen, fault) => {
    expect(faultsOf(kind, { ...flooded, ...seen }, 50).join()).toMatch(fault);
  });

  test("compares with twice the quiet time, and with 50 ms where that is less", () => {
    expect(limitOfReads(probed)).toBe(50);
    expect(limitOfReads({ ...probed, read: { ...probed.read, p95: 40 } })).toBe(80);
  });

  test.each([{ count: leastQuietReads - 1 }, { failed: 1 }])("needs a quiet time that tells enough, not one of %o", (read) => {
    expect(() => limitOfReads({ ...probed, read: { ...probed.read, ...read } })).toThrow(/quiet time/);
  });
});

test("each kind of flood has a name of its own, says what reaches it, and makes requests", () => {
  expect(new Set(floodKinds.map(({ name }) => name)).size).toBe(floodKinds.length);
  for (const { least, reached, request } of floodKinds) {
    expect(least).toBeGreaterThan(0);
    expect(reached).not.toEqual([]);
    expect(request(0, "http://127.0.0.1:1/")).toMatchObject({ path: expect.stringMatching(/^\//) });
  }
});
