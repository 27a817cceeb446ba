import { beforeEach, describe, expect, it } from "vitest";
import { createWaiting } from "./waiting.ts";

describe("what waits", () => {
  let asked: (readonly string[] | undefined)[];
  let waiting: ReturnType<typeof createWaiting<string>>;
  beforeEach(() => {
    asked = [];
    waiting = createWaiting<string>(
      (row) => row,
      () => {},
    );
  });
  const find = (rows: readonly string[], { tenant = "acme", of = "model", during = () => {} } = {}) =>
    waiting.find({ tenant, of, limit: 3 }, async (names) => {
      asked.push(names);
      during();
      return rows;
    });

  it("is looked for among all once, then among what waited and what changed, and not at all where that is nothing", async () => {
    expect(await find(["a", "b"])).toEqual(["a", "b"]);
    waiting.heard({ tenant: "acme", id: "c" });
    waiting.heard({ tenant: "other", id: "d" });
    expect(await find([])).toEqual([]);
    expect(await find(["not asked"])).toEqual([]);
    expect(asked).toEqual([undefined, ["a", "b", "c"]]);
  });

  it("is kept apart by tenant and by what is asked", async () => {
    await find([]);
    await find([], { tenant: "other" });
    await find([], { of: "another model" });
    expect(asked).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ["while it was looked for", () => find([], { during: () => waiting.heard({ tenant: "acme", id: "late" }) })],
    [
      "and some of it was missed",
      async () => {
        await find([]);
        waiting.heard(undefined);
      },
    ],
    [
      "too often to remember",
      async () => {
        await find([]);
        for (let at = 0; at <= 200; at += 1) waiting.heard({ tenant: "acme", id: `${at}` });
      },
    ],
    ["and more of it was there than was asked for", () => find(["a", "b", "c"])],
  ])("is looked for among all again where something changed %s", async (_when, change) => {
    await change();
    await find([]);
    expect(asked).toEqual([undefined, undefined]);
  });
});
