import { describe, expect, it } from "vitest";
import { findRuleOpening } from "./opens-port.ts";

const place = {
  port: 7777,
  addresses: ["127.0.0.1", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0"],
  others: ["192.168.7.5", "box"],
};
const loopback = ["127.0.0.0/8"];
const rules = (allow: readonly string[] | undefined, allowRanges: readonly string[] = loopback, deny: readonly string[] = []) => ({
  ...(allow && { allow }),
  deny,
  allowRanges,
});

describe("a rule that leads a filtered network to the server's own port", () => {
  it.each([
    { name: "its address", given: rules(["127.0.0.1:7777"]), is: "127.0.0.1:7777" },
    { name: "its name", given: rules(["localhost:7777"]), is: "localhost:7777" },
    { name: "another name, which somebody may point here", given: rules(["local.example.org:7777"]), is: "local.example.org:7777" },
    { name: "names of a domain", given: rules(["*.example.org:7777"]), is: "*.example.org:7777" },
    { name: "every host", given: rules(["api.example.org", "*:7777"]), is: "*:7777" },
    { name: "the address of all addresses", given: rules(["0.0.0.0:7777"], ["0.0.0.0/8"]), is: "0.0.0.0:7777" },
    { name: "IPv6", given: rules(["[::1]:7777"], ["::1/128"]), is: "[::1]:7777" },
    { name: "IPv4 in IPv6", given: rules(["[::ffff:127.0.0.1]:7777"], ["::ffff:0:0/96"]), is: "[::ffff:127.0.0.1]:7777" },
    { name: "a wide range", given: rules(["*:7777"], ["0.0.0.0/0"]), is: "*:7777" },
    { name: "an address of an interface", given: rules(["192.168.7.5:7777"], ["192.168.0.0/16"]), is: "192.168.7.5:7777" },
    { name: "the machine's name", given: rules(["box:7777"], ["192.168.0.0/16"]), is: "box:7777" },
    { name: "a denial that leaves another name", given: rules(["*:7777"], loopback, ["localhost", "127.0.0.1"]), is: "*:7777" },
  ])("$name is found", ({ given, is }) => {
    expect(findRuleOpening(given, place)).toBe(is);
  });

  it.each([
    { name: "another port of this machine", given: rules(["localhost:3000", "127.0.0.1:8080"]) },
    { name: "the web ports", given: rules(["*", "localhost"]) },
    { name: "every host, where only the web ports are open", given: rules(undefined) },
    { name: "the port, where no socket is opened to this machine", given: rules(["*:7777", "localhost:7777"], []) },
    { name: "the port of another private network", given: rules(["10.0.0.9:7777", "*:7777"], ["10.0.0.0/8"]) },
    { name: "the port elsewhere", given: rules(["93.184.215.14:7777"]) },
    { name: "an own address that is denied", given: rules(["127.0.0.1:7777"], loopback, ["127.0.0.1"]) },
    { name: "every host, where all are denied there", given: rules(["*:7777"], loopback, ["*:7777"]) },
    { name: "nothing", given: rules([]) },
  ])("$name is none", ({ given }) => {
    expect(findRuleOpening(given, place)).toBeUndefined();
  });

  it("counts the web ports when the server is on one", () => {
    expect(findRuleOpening(rules(["localhost"]), { ...place, port: 80 })).toBe("localhost");
    expect(findRuleOpening(rules(undefined), { ...place, port: 443 })).toBe("*");
  });
});
