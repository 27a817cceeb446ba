import { expect, test } from "vitest";
import { z } from "zod";
import { definePort, type Port } from "../ports/define-port.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject, operationsOf } from "./define-subject.ts";

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

test("two ports of one name that are not the same value are refused with the operations that name them", () => {
  const box = definePort<{ readonly pencils: number }>()("box", "a box of pencils");
  const other = definePort<{ readonly pens: number }>()("box", "a box of pens");
  const withPorts = (name: string, ports: { readonly needs?: readonly Port[]; readonly uses?: readonly Port[] }) => ({
    ...pencil(name, "GET /pencils", ""),
    ...{ route: { method: "GET", path: `/${name}` } as const, shell: [], needs: [], uses: [], ...ports },
  });
  const one = withPorts("pencils.get", { needs: [box] });
  expect(operationsOf([{ name: "pencils", operations: [one, withPorts("pencils.find", { needs: [box], uses: [box] })] }])).toHaveLength(2);
  for (const ports of [{ needs: [other] }, { uses: [other] }]) {
    const second = withPorts("pens.get", ports);
    const message = "The operations pencils.get and pens.get work on two ports of the name box. Define it once, and import it.";
    expect(() => defineSubject({ name: "pencils", operations: [one, second] })).toThrow(message);
    expect(() =>
      operationsOf([defineSubject({ name: "a", operations: [one] }), defineSubject({ name: "b", operations: [second] })]),
    ).toThrow(message);
  }
});

test("a permission that is said twice is refused with both subjects, in whatever words", () => {
  const sharpen = { name: "pencils:sharpen", about: "sharpen the pencils of others" };
  const ofAll = { name: "pencils", operations: [], permissions: [sharpen] };
  expect(() => defineSubject({ ...ofAll, permissions: [sharpen, sharpen] })).toThrow(
    "The subjects pencils and pencils say the permission pencils:sharpen. It belongs to one.",
  );
  for (const permission of [sharpen, { ...sharpen, about: "make them blunt" }])
    expect(() => operationsOf([ofAll, { name: "knives", operations: [], permissions: [permission] }])).toThrow(
      "The subjects pencils and knives say the permission pencils:sharpen. It belongs to one.",
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
