import type { CallResult, Principal } from "@toolwright/engine";
import { expect, it } from "vitest";
import { DetachedCalls } from "./detached-calls.ts";
import { ownerOf } from "./http/owners.ts";

const person = (tenant: string, id: string, key: string): Principal => ({
  ...{ tenant, actor: { kind: "user", id }, permissions: [], door: "rest", key },
});

it("are a sixteenth of all for one person with any number of keys, and a quarter for a tenant; others have theirs (R-SH-2)", () => {
  const calls = new DetachedCalls(64);
  const begin = (principal: Principal) => {
    const refused = calls.refuse(ownerOf(principal));
    if (!refused) void calls.hold(ownerOf(principal), new Promise<CallResult>(() => {}));
    return refused?.code;
  };
  const flood = (tenant: string, id: string) => Array.from({ length: 20 }, (_, n) => begin(person(tenant, id, `k${n}`)));
  expect(flood("acme", "ann").filter((code) => code === undefined)).toHaveLength(4);
  expect(begin({ ...person("acme", "helper", "k"), actor: { kind: "agent", id: "helper" }, onBehalfOf: "ann" })).toBe("too_many_calls");
  expect(begin(person("acme", "bob", "k"))).toBeUndefined();
  for (const id of ["cid", "dan", "eve", "fay"]) flood("acme", id);
  expect(begin(person("acme", "gus", "k"))).toBe("too_many_calls");
  expect(begin(person("other", "ann", "k"))).toBeUndefined();
});
