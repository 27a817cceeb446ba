import { expect, test } from "vitest";
import { judgeTarget } from "./judge-target.ts";

const rules = { allow: ["good.example", "*.good.example:8443"], deny: ["bad.good.example", "x.good.example:8443"] };

test.each<[string, { host: string; port: number | undefined }, string | undefined]>([
  ["a web port of an open host", { host: "good.example", port: 443 }, undefined],
  ["another port of it", { host: "good.example", port: 22 }, "allow"],
  ["an open host without a port", { host: "good.example", port: undefined }, undefined],
  ["a name below one, without a port", { host: "a.good.example", port: undefined }, undefined],
  ["a denied host on any port", { host: "bad.good.example", port: 8443 }, "deny"],
  ["a denied host without a port", { host: "bad.good.example", port: undefined }, "deny"],
  ["the denied port of an open host", { host: "x.good.example", port: 8443 }, "deny"],
  ["a host of which only one port is denied, without a port", { host: "x.good.example", port: undefined }, undefined],
  ["another host", { host: "evil.example", port: 443 }, "allow"],
  ["another host without a port", { host: "evil.example", port: undefined }, "allow"],
])("%s", (_, target, by) => {
  expect(judgeTarget(target, rules)?.by).toBe(by);
});

test("without a rule that opens, the web ports and what has no port are open", () => {
  const judge = (port: number | undefined) => judgeTarget({ host: "a.example", port }, { deny: [] })?.by;
  expect([judge(80), judge(443), judge(undefined), judge(22)]).toEqual([undefined, undefined, undefined, "ports"]);
});

test("a list that has changed is read again, and one that cannot be read denies", () => {
  const deny: string[] = [];
  const judge = () => judgeTarget({ host: "a.example", port: 443 }, { deny })?.by;
  expect(judge()).toBeUndefined();
  deny.push("a.example");
  expect(judge()).toBe("deny");
  deny[0] = "b.example";
  expect(judge()).toBeUndefined();
  deny[0] = "not a rule";
  expect(judge()).toBe("deny");
});
