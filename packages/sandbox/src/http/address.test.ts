import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isReachable, parseRanges } from "./address.ts";

const none = parseRanges([]);

describe("addresses that embed a private IPv4 address are not reachable", () => {
  const forms: Record<string, (high: string, low: string) => string> = {
    "IPv4-mapped": (high, low) => `::ffff:${high}:${low}`,
    "IPv4-compatible": (high, low) => `::${high}:${low}`,
    "SIIT translated": (high, low) => `::ffff:0:${high}:${low}`,
    NAT64: (high, low) => `64:ff9b::${high}:${low}`,
    "local NAT64": (high, low) => `64:ff9b:1::${high}:${low}`,
    "6to4": (high, low) => `2002:${high}:${low}::1`,
    Teredo: (high, low) => `2001:0:${high}:${low}::1`,
    "ISATAP under a global prefix": (high, low) => `2606:4700::5efe:${high}:${low}`,
    "ISATAP with the universal bit": (high, low) => `2606:4700::200:5efe:${high}:${low}`,
  };
  test.each(Object.entries(forms))("%s", (_form, write) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0xffff }), (high, low) => {
        expect(isReachable(write(high.toString(16), low.toString(16)), none)).toBe(false);
      }),
    );
  });
});

describe("special addresses are not reachable", () => {
  test.each([
    ["Azure platform", "168.63.129.16"],
    ["Oracle metadata", "192.0.0.192"],
    ["AWS metadata over IPv6", "fd00:ec2::254"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["benchmarking", "198.18.0.1"],
    ["future use", "240.0.0.1"],
    ["site local", "fec0::1"],
    ["segment routing", "5f00::1"],
    ["documentation, RFC 9637", "3fff::1"],
    ["a link-local address with a zone", "fe80::1%eth0"],
    ["no address at all", "example.com"],
    ["an empty text", ""],
  ])("%s", (_name, address) => {
    expect(isReachable(address, none)).toBe(false);
  });
});

describe("ranges of the policy", () => {
  test.each([
    ["an address inside is opened", "10.1.2.3", ["10.1.2.0/24"], true],
    ["an address outside stays closed", "10.1.3.3", ["10.1.2.0/24"], false],
    ["an IPv6 range opens IPv6", "fd12::1", ["fd12::/16"], true],
    ["an IPv4 range does not open the mapped form", "::ffff:10.1.2.3", ["10.1.2.0/24"], false],
    ["a wide range does not open metadata", "100.100.100.200", ["100.64.0.0/10"], false],
    ["everything but metadata", "169.254.169.254", ["0.0.0.0/0"], false],
    ["metadata that is named alone is opened", "169.254.169.254", ["169.254.169.254/32"], true],
  ])("%s", (_name, address, ranges, expected) => {
    expect(isReachable(address, parseRanges(ranges))).toBe(expected);
  });

  test("a text that is not a range is refused", () => {
    expect(() => parseRanges(["10.0.0.0"])).toThrow(/not a CIDR range/);
  });
});
