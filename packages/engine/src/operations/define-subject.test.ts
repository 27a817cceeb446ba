import { describe, expect, test } from "vitest";
import { z } from "zod";
import { definePort, type Port } from "../ports/define-port.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject, operationsOf, type Subject } from "./define-subject.ts";

const pencil = (name: string, at: "GET /pencils/{id}" | "GET /pencils/{pencil}" | "GET /pencils", shell: string) =>
  defineOperation({
    ...({ name, at, shell, title: "Get a pencil", description: "Gets a pencil.", effect: "read" } as const),
    ...{ input: z.object({ id: z.string(), pencil: z.string() }), output: z.object({}), run: async () => ({}) },
  });
const first = pencil("pencils.get", "GET /pencils/{id}", "pencils show <id>");

test.each([
  { what: "one name", other: pencil("pencils.get", "GET /pencils", "pencils list"), words: "the same name: pencils.get" },
  {
    what: "one route",
    other: pencil("pencils.find", "GET /pencils/{pencil}", "pencils find <id>"),
    words: "the same route: GET /pencils/{}",
  },
  { what: "one command", other: pencil("pencils.find", "GET /pencils", "pencils show [pencil]"), words: "the same command: pencils show" },
])("two operations with $what are refused with both, in a subject and among subjects", ({ other, words }) => {
  const message = `The operations pencils.get and ${other.name} have ${words}.`;
  expect(() => defineSubject({ name: "pencils", operations: [first, other] })).toThrow(message);
  const subjects = [
    { name: "pencils", operations: [first] },
    { name: "others", operations: [other] },
  ];
  expect(() => operationsOf(subjects)).toThrow(message);
});

test("the operations of subjects stand in the order of the subjects", () => {
  const other = pencil("pencils.find", "GET /pencils", "pencils find <id>");
  expect(operationsOf([defineSubject({ name: "a", operations: [other] }), defineSubject({ name: "b", operations: [first] })])).toEqual([
    other,
    first,
  ]);
});

describe("ports", () => {
  const box = definePort<{ readonly pencils: number }>()("box", "a box of pencils");
  const other = definePort<{ readonly pens: number }>()("box", "a box of pens");
  const withPorts = (name: string, ports: { readonly needs?: readonly Port[]; readonly uses?: readonly Port[] }) => ({
    ...pencil(name, "GET /pencils", ""),
    ...{ route: { method: "GET", path: `/${name}` } as const, shell: [], needs: [], uses: [], ...ports },
  });
  const pencils = { name: "pencils", store: [box], operations: [withPorts("pencils.get", { needs: [box] })] };

  test("operations work on the ports of their own subject and of others", () => {
    const pens = { name: "pens", operations: [withPorts("pens.get", { needs: [box], uses: [box] })] };
    expect(operationsOf([pencils, pens])).toHaveLength(2);
  });

  test.each([
    { what: "needs", ports: { needs: [other] } },
    { what: "uses", ports: { uses: [other] } },
  ])("an operation that $what another value of a port's name is refused with the subject of the port", ({ ports }) => {
    expect(() => operationsOf([pencils, { name: "pens", operations: [withPorts("pens.get", ports)] }])).toThrow(
      "The operation pens.get of pens works on another port box than the one in the store of pencils. Define it once, and import it.",
    );
  });

  test("an operation on a port that is in no store is refused", () => {
    expect(() => operationsOf([{ ...pencils, store: [] }])).toThrow(
      "The operation pencils.get of pencils works on the port box, which no subject has in its store.",
    );
  });

  test("a store on which no operation works is refused", () => {
    expect(() => operationsOf([{ ...pencils, operations: [first] }])).toThrow(
      "The subject pencils has the port box in its store, and no operation works on it.",
    );
  });
});

test.each<{ what: string; says: Partial<Subject> }>([
  { what: "permission pencils:sharpen", says: { permissions: [{ name: "pencils:sharpen", about: "sharpen the pencils of others" }] } },
  { what: "error code pencil_blunt", says: { errors: { pencil_blunt: { kind: "conflict", means: "The pencil is blunt." } } } },
  { what: "port box", says: { store: [definePort<string>()("box", "a box of pencils")] } },
  { what: "capability of tools pencils", says: { tools: "pencils" } },
  { what: "loop sharpening", says: { loops: [{ name: "sharpening", about: "sharpens pencils" }] } },
])("the $what that two subjects say is refused with both", ({ what, says }) => {
  expect(() =>
    operationsOf([
      { name: "pencils", operations: [], ...says },
      { name: "knives", operations: [], ...says },
    ]),
  ).toThrow(`The subjects pencils and knives say the ${what}. It belongs to one.`);
});

test("an error code of calls cannot be said by a subject", () => {
  const errors = { tool_failed: { kind: "failed", means: "A pencil broke." } } as const;
  expect(() => defineSubject({ name: "pencils", operations: [], errors })).toThrow(
    "The error code tool_failed is of calls, and the subject pencils says it too.",
  );
});

test("an operation whose permission no subject says is refused with its subject", () => {
  const asking = { ...first, permission: "pencils:sharpen" };
  const subjects = [defineSubject({ name: "pencils", operations: [asking] })];
  expect(() => operationsOf(subjects)).toThrow(
    "The operation pencils.get of pencils needs the permission pencils:sharpen, which no subject has among its permissions.",
  );
  const said = { name: "knives", operations: [], permissions: [{ name: "pencils:sharpen", about: "sharpen pencils" }] };
  expect(operationsOf([...subjects, said])).toEqual([asking]);
});
