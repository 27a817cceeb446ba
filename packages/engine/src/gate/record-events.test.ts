import { expect, test } from "vitest";
import { isCut, loggedInput } from "./record-events.ts";

const long = "words ".repeat(2_000);

test("an input that fits is logged whole", () => {
  expect(loggedInput({ path: "a.txt", content: "short" })).toEqual({ path: "a.txt", content: "short" });
});

test("of an input that is too large, what the policy goes by stays: each member has its share of the room", () => {
  const logged = loggedInput({ path: "a.txt", content: long, mode: 420 }) as Record<string, unknown>;
  expect(logged).toMatchObject({ path: "a.txt", mode: 420, content: { truncated: true, length: long.length + 2 } });
  expect(isCut(logged.content)).toBe(true);
  expect(JSON.stringify(logged).length).toBeLessThan(4_096);
});

test.each<[string, unknown]>([
  ["text", long],
  ["list", [long, "a"]],
  ["object of one member", { command: long }],
  ["object of very many members", Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, index]))],
])("a %s that is too large is cut as one", (_, input) => {
  expect(loggedInput(input)).toEqual({ truncated: true, head: expect.any(String), length: JSON.stringify(input).length });
});

test("a member of that name does not become a prototype (law 6)", () => {
  const logged = loggedInput(JSON.parse(`{"__proto__": {"polluted": true}, "content": ${JSON.stringify(long)}}`));
  expect(Object.getPrototypeOf(logged)).toBe(Object.prototype);
  expect(Object.hasOwn(logged as object, "__proto__")).toBe(true);
});
