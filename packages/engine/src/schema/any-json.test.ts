import { expect, test } from "vitest";
import { z } from "zod";
import { anyJson, anyObject } from "./any-json.ts";

const given = z.object({ value: anyJson("Any"), object: anyObject("Any object") });
const fits = (value: unknown, object: unknown) => given.safeParse({ value, object }).success;

test("any JSON is whatever JSON carries, and any object has members alone", () => {
  for (const value of ["text", 1, false, null, [1, { a: [] }], { deep: { er: null } }])
    expect([value, fits(value, {})]).toEqual([value, true]);
  for (const object of ["text", 1, null, [], [{}]]) expect([object, fits(1, object)]).toEqual([object, false]);
});

test("what JSON cannot carry is refused at any depth, and so is nothing", () => {
  for (const value of [undefined, Number.NaN, 1n, new Date(0), new Map(), () => 1]) {
    expect([value, fits(value, {})]).toEqual([value, false]);
    expect([value, fits([{ value: [value] }], {})]).toEqual([value, false]);
  }
  expect(fits(1, { at: new Date(0) })).toBe(false);
});

test("their JSON Schema takes what they take, with the description alone", () => {
  expect(z.toJSONSchema(given).properties).toEqual({
    value: { description: "Any" },
    object: { type: "object", propertyNames: { type: "string" }, additionalProperties: {}, description: "Any object" },
  });
});
