import { expect, test } from "vitest";
import { z } from "zod";
import { defineOperation } from "./define-operation.ts";

const pencil = {
  ...({ name: "pencils.get", title: "Get a pencil", description: "Gets a pencil.", effect: "read" } as const),
  ...{ input: z.object({ id: z.string() }), output: z.object({}), run: async () => ({}) },
};

test("an operation has a route with its method, path and options", () => {
  const { route } = defineOperation({ ...pencil, at: "GET /pencils/{id}", follows: "now" });
  expect(route).toEqual({ method: "GET", path: "/pencils/{id}", follows: "now" });
});

test("an operation whose path names what its input lacks is refused with both", () => {
  expect(() => defineOperation({ ...pencil, at: "GET /pencils/{pencil}" })).toThrow(
    "The operation pencils.get is at GET /pencils/{pencil}, and its input has no member pencil.",
  );
});

test("an operation has one command, several, or none", () => {
  const formsOf = (...shell: Parameters<typeof withShell>) => withShell(...shell).shell.map(({ form }) => form);
  const withShell = (shell?: string | readonly { readonly form: string; readonly gives?: { readonly id?: string } }[]) =>
    defineOperation({ ...pencil, at: "GET /pencils/{id}", ...(shell !== undefined && { shell }) });
  expect(formsOf()).toEqual([]);
  expect(formsOf("pencils show <id>")).toEqual(["pencils show <id>"]);
  expect(formsOf([{ form: "pencils show <id>" }, { form: "pencils first", gives: { id: "1" } }])).toEqual([
    "pencils show <id>",
    "pencils first",
  ]);
});

test("an operation whose command names or gives what its input lacks is refused with both", () => {
  const refused = (shell: string | { readonly form: string; readonly gives: object }) =>
    expect(() => defineOperation({ ...pencil, at: "GET /pencils/{id}", shell })).toThrow(
      /^The operation pencils\.get has the command "pencils [^"]*", and its input has no member colour\.$/,
    );
  refused("pencils show <colour>");
  refused({ form: "pencils first", gives: { colour: "red" } });
});
