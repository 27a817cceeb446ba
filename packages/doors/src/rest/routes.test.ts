import { operations } from "@toolwright/engine/subjects";
import { describe, expect, it } from "vitest";
import { openRest } from "../../test/rest-client.ts";

describe("the routes", () => {
  it("serve nothing twice", () => {
    const places = operations.map(({ route: { method, path } }) => `${method} ${path}`);
    expect(new Set(places).size).toBe(places.length);
  });

  const matching = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  const covered = operations.filter(({ route: { method, path } }) =>
    operations.some(({ route }) => route.method === method && route.path !== path && matching(route.path).test(path)),
  );

  it.each(covered)("lead to $name, whose path another one would take for a member", async ({ name, route: { method, path } }) => {
    const response = await openRest().ask(method, `/api${path}`);
    expect(await response.text()).toContain(name);
  });

  it("change nothing with GET", () => {
    for (const { route, effect } of operations) if (route.method === "GET") expect(effect).toBe("read");
  });
});
