import { expect, it } from "vitest";
import { createRandomIds } from "./ids.ts";

it("ids are the prefix and 22 characters of base64url, which hold 132 random bits, and none comes twice", () => {
  const ids = createRandomIds();
  const drawn = Array.from({ length: 10_000 }, () => ids.next("call"));
  expect(drawn.filter((id) => !/^call_[A-Za-z0-9_-]{22}$/.test(id))).toEqual([]);
  expect(new Set(drawn).size).toBe(drawn.length);
});
