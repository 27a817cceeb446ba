import type { PolicyDocument } from "@toolwright/engine";
import { tiersOfFile } from "@toolwright/engine/policy";
import { describe, expect, it } from "vitest";
import { OwnDoor } from "./own-door.ts";

const open = { token: undefined, auth: undefined, ask: "client", port: 7777 } as const;
const policyOf = (file: Omit<PolicyDocument, "version">) => ({ tiers: tiersOfFile({ version: 1, ...file }) });
const host = policyOf({ sandbox: { network: "host" } });
const filtered = (allow: string[], ranges = ["127.0.0.0/8"]) =>
  policyOf({ sandbox: { network: "filtered" }, network: { allow, allow_ranges: ranges } });

describe("a server that takes every program of the machine for its owner (R-AP-11)", () => {
  it.each([
    { name: "the machine's network", policy: host, says: /sandbox\.network "host"/ },
    { name: "its port under a name", policy: filtered(["localhost:7777"]), says: /"localhost:7777" in network\.allow.*port 7777/ },
    { name: "its port at its address", policy: filtered(["docs.example.org", "127.0.0.1:7777"]), says: /"127\.0\.0\.1:7777"/ },
  ])("refuses a policy that gives commands $name, and says what to do", ({ policy, says }) => {
    expect(() => new OwnDoor(open).refuse(policy)).toThrow(says);
    expect(() => new OwnDoor(open).refuse(policy)).toThrow(/--auth.*TOOLWRIGHT_TOKEN.*--ask never/);
  });

  it.each([
    { name: "no network", policy: policyOf({}) },
    { name: "another port of this machine", policy: filtered(["localhost:3000"]) },
    { name: "its port, but no address of this machine", policy: filtered(["*:7777"], []) },
    { name: "the port for requests of tools, and commands no network", policy: policyOf({ network: { allow: ["localhost:7777"] } }) },
  ])("takes one that gives commands $name", ({ policy }) => {
    expect(() => new OwnDoor(open).refuse(policy)).not.toThrow();
  });

  it("knows its port once it listens", () => {
    const door = new OwnDoor({ ...open, port: 0 });
    const policy = filtered(["localhost:4711"]);
    expect(() => door.refuse(policy)).not.toThrow();
    expect(() => door.listensAt("http://127.0.0.1:4711", policy as never)).toThrow(/port 4711/);
  });
});

it.each([
  { name: "a token", given: { token: "t".repeat(32) } },
  { name: "a sign-in", given: { auth: { oidc: undefined } } },
  { name: "no question in clients", given: { ask: "never" as const } },
])("a server with $name takes every policy", ({ given }) => {
  expect(() => new OwnDoor({ ...open, ...given }).refuse(host)).not.toThrow();
});
