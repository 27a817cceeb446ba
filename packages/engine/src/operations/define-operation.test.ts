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
