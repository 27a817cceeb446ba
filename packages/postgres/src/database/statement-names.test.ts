import { expect, it } from "vitest";
import { createStatementNames } from "./statement-names.ts";

const select = "select $1";

it("a statement has a name from the second time on, and one of its own under each role", () => {
  const names = createStatementNames();
  const nameOf = (role?: string) => names.nameOf(select, [1], role);
  expect([nameOf(), nameOf("tenant")]).toEqual([undefined, undefined]);
  const [owner, tenant] = [nameOf(), nameOf("tenant")];
  expect(owner).toBeDefined();
  expect(new Set([owner, tenant]).size).toBe(2);
  expect([nameOf(), nameOf("tenant")]).toEqual([owner, tenant]);
});

it("what has no parameters has no name", () => {
  const names = createStatementNames();
  expect(Array.from({ length: 3 }, () => names.nameOf("commit", []))).toEqual([undefined, undefined, undefined]);
});

it("there are no more than 500 names, and texts that come once take none", () => {
  const names = createStatementNames();
  for (let one = 0; one < 5_000; one += 1) names.nameOf(`once ${one}`, [one]);
  const twice = (text: string) => [1, 2].map(() => names.nameOf(text, [1]))[1];
  const given = Array.from({ length: 600 }, (_, one) => twice(`twice ${one}`)).filter((name) => name !== undefined);
  expect(new Set(given).size).toBe(500);
});

it("when tables have changed, every statement is named anew and the transaction can be tried again", () => {
  const names = createStatementNames();
  const name = [1, 2].map(() => names.nameOf(select, [1]))[1];
  const failure = Object.assign(new Error("cached plan must not change result type"), { code: "0A000" });
  expect(names.told(failure)).toMatchObject({ code: "40001", cause: failure });
  expect([1, 2].map(() => names.nameOf(select, [1]))[1]).not.toBe(name);
  const other = Object.assign(new Error("not implemented"), { code: "0A000" });
  expect(names.told(other)).toBe(other);
});
