import { describe, expect, it } from "vitest";
import { curlLine, outlineOf } from "./curl-line.ts";
import { listMembers, typeOf } from "./schema-table.ts";

const none = () => undefined;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const pathsOf = (...[schema, find = none]: [schema: Parameters<typeof listMembers>[0], find?: Parameters<typeof listMembers>[1]]) =>
  listMembers(schema, find).rows.map(({ path }) => path);

/** Definitions each of which may be every other one. */
const names = Array.from({ length: 14 }, (_, index) => `d${index}`);
const tangle = (name: string) => ({
  type: "object",
  properties: Object.fromEntries(names.map((each) => [`${name}${each}`, ref(each)])),
  required: names.map((each) => `${name}${each}`),
  anyOf: names.map(ref),
});

describe("a table of a schema", () => {
  it("has the members inside members, lists and forms", () => {
    const form = { type: "object", properties: { kind: { const: "a" }, size: { type: "integer" } }, required: ["kind"] };
    const schema = {
      type: "object",
      properties: {
        where: { type: "object", properties: { from: { type: "string" } } },
        items: { type: "array", items: ref("item") },
        one: { anyOf: [form] },
      },
      required: ["where"],
    };
    const { rows } = listMembers(schema, (name) =>
      name === "item" ? { type: "object", properties: { id: { type: "string" } } } : undefined,
    );
    expect(rows.map(({ path, type, required }) => [path, type, required])).toEqual([
      ["where", "object", true],
      ["where.from", "string", false],
      ["items", "list of object", false],
      ["items[].id", "string", false],
      ["one", "object", false],
      ["one.kind", '"a"', true],
      ["one.size", "integer", false],
    ]);
  });

  it("ends where a schema contains itself, and for definitions that contain each other", () => {
    const tree = { type: "object", properties: { left: ref("tree"), name: { type: "string" } } };
    expect(pathsOf(ref("tree"), () => tree)).toHaveLength(10);
    const { rows, whole } = listMembers(tangle("top"), tangle);
    expect(whole).toBe(false);
    expect(rows.length).toBeLessThanOrEqual(2_000 * names.length);
    expect(JSON.stringify(outlineOf(tangle("top"), tangle)).length).toBeLessThan(100_000);
  });

  it.each([
    [{ type: ["integer", "null"] }, "integer or null"],
    [{ type: "array", items: { type: "string" } }, "list of string"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string or null"],
    [{ enum: ["a", 1] }, '"a" or 1'],
    [{ enum: Array.from({ length: 30 }, (_, index) => index) }, /^0 or .* or 19 or 10 more$/],
    [{}, "any"],
  ])("says the type of %j", (schema, words) => {
    expect(typeOf(schema, none)).toEqual(typeof words === "string" ? words : expect.stringMatching(words));
  });
});

describe("a request in a shell", () => {
  it("holds an outline of what is required", () => {
    const schema = {
      type: "object",
      properties: {
        path: { type: "string" },
        lines: { type: "integer", minimum: 1 },
        mode: { enum: ["a", "b"] },
        more: { type: "boolean" },
      },
      required: ["path", "lines", "mode"],
    };
    expect(outlineOf(schema, none)).toEqual({ path: "...", lines: 1, mode: "a" });
  });

  it("names the method where curl would take another one", () => {
    const request = { path: "/grants/{id}", base: "/api", open: true, body: undefined };
    expect(curlLine({ ...request, method: "get" })).toBe('curl -sS "$SERVER/api/grants/{id}"');
    expect(curlLine({ ...request, method: "delete" })).toBe('curl -sS -X DELETE "$SERVER/api/grants/{id}"');
    expect(curlLine({ ...request, method: "post", body: {} })).toMatch(/^curl -sS "\$SERVER.* -d '\{\}'$/s);
  });
});
