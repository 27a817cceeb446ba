import { sha256 } from "@toolwright/engine/ports";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pathOf } from "./area.ts";
import { otherId } from "./compare-answers.ts";
import { listMcpMethods, listRestPaths, listRoutes } from "./list-routes.ts";
import { colleague, owner, stranger } from "./open-world.ts";
import { inCommon, notServed, otherRoutes } from "./other-routes.ts";
import { type RouteCase, routeCases } from "./route-cases.ts";
import { type Served, seenOf, serveTwoTenants } from "./served.ts";

describe("what belongs to another tenant or person is like what there is not, routes (R-TN-3, R-SE-1, R-MC-5)", () => {
  let served: Served;
  let made = 0;
  beforeAll(async () => {
    served = await serveTwoTenants();
  });
  afterAll(() => served.stop());

  const ask = async (each: RouteCase, tenant: string, id: string) => seenOf(await each.ask(served, tenant, id), id);
  const look = async (each: RouteCase, id: string) => seenOf(await each.look(served, owner, id), id);

  it("is shown of every route and method, or there is a reason why it need not be", () => {
    const shown = [...new Set(routeCases.map(({ name }) => pathOf(name)))];
    const there = [...listRoutes(), ...listMcpMethods()];
    expect(there.length).toBeGreaterThan(30);
    expect(
      [...shown, ...Object.keys(otherRoutes), ...notServed].sort(),
      "Add a case to route-cases.ts, or the reason to other-routes.ts.",
    ).toEqual(there.sort());
  });

  it.each(notServed)("%s is not served", async (method) => {
    const answer = await served.ask(owner, method, {});
    expect(await answer.text()).toContain("-32601");
  });

  it.each(["GET /api/runs/{id}", ...listRestPaths()])("%s answers text that no store can hold as its caller's fault", async (request) => {
    for (const text of ["%00", "a%00b", "%ED%A0%80"]) {
      const answer = await served.rest(owner, request.replace(/\{\w+\}/g, text), request.startsWith("GET") ? {} : { body: {} });
      expect(answer.status, await answer.text()).toBeLessThan(500);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
  });

  it.each(routeCases)("$name", async (each) => {
    const name = `t${sha256(each.name + String(made++)).slice(0, 15)}`;
    const strangers = Object.hasOwn(inCommon, each.name) ? [stranger] : [stranger, colleague];
    const without = new Map<string, string>();
    for (const who of strangers) without.set(who, await ask(each, who, otherId(name)));
    const id = await each.make(served, owner, name);
    const before = await look(each, id);
    for (const who of strangers) {
      const foreign = await ask(each, who, id);
      expect(foreign, who).toBe(each.isList ? without.get(who) : await ask(each, who, otherId(id, 2)));
      expect(await look(each, id), who).toBe(before);
    }
    // Or else neither the answer nor the look could tell a leak.
    expect((await ask(each, owner, id)) !== (await ask(each, stranger, otherId(id, 3))) || (await look(each, id)) !== before).toBe(true);
  });
});
