import { expect, it } from "vitest";
import { lowestTrust } from "./foreign.ts";

it.each([
  [["person", "foreign", "agent"], "foreign"],
  [["person", "agent"], "agent"],
  [["person"], "person"],
  [[], "agent"],
] as const)("gives what was made from %j the lowest trust, %s", (some, trust) => {
  expect(lowestTrust(some)).toBe(trust);
});
