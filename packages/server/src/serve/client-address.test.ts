import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readClientAddress } from "./client-address.ts";

const addressOf = (proxies: string | undefined, { from = "127.0.0.1", said }: { from?: string; said?: string | undefined }) =>
  readClientAddress(proxies)({ headers: { "x-forwarded-for": said }, socket: { remoteAddress: from } } as never);

describe("the address of a client", () => {
  const rows: readonly { name: string; proxies?: string; from?: string; said?: string; is: string }[] = [
    { name: "is where the connection comes from", from: "192.0.2.7", is: "192.0.2.7" },
    { name: "is not what it says of itself", from: "192.0.2.7", said: "198.51.100.1", is: "192.0.2.7" },
    { name: "is not what is said from loopback, unless that is a proxy", said: "198.51.100.1", is: "127.0.0.1" },
    { name: "is not what somebody says who is no proxy", proxies: "10.0.0.1", from: "192.0.2.7", said: "198.51.100.1", is: "192.0.2.7" },
    { name: "is what a proxy says", proxies: "127.0.0.1", said: "198.51.100.1", is: "198.51.100.1" },
    { name: "is what the proxy added, not what came to it", proxies: "127.0.0.1", said: "203.0.113.9, 198.51.100.1", is: "198.51.100.1" },
    {
      name: "is found behind two proxies",
      proxies: "127.0.0.1, 10.0.0.0/8",
      said: "203.0.113.9, 198.51.100.1, 10.2.3.4",
      is: "198.51.100.1",
    },
    { name: "is the first proxy when all are proxies", proxies: "127.0.0.1,10.0.0.0/8", said: "10.1.1.1, 10.2.3.4", is: "10.1.1.1" },
    { name: "is the proxy's when that says nothing", proxies: "127.0.0.1", is: "127.0.0.1" },
    { name: "is the proxy's when that does not know", proxies: "127.0.0.1", said: "unknown", is: "127.0.0.1" },
    { name: "is the proxy's behind what is no address", proxies: "127.0.0.1", said: "198.51.100.1, <script>", is: "127.0.0.1" },
    { name: "loses its port", proxies: "127.0.0.1", said: "198.51.100.1:4711", is: "198.51.100.1" },
    { name: "of IPv6 loses port and brackets", proxies: "127.0.0.1", said: "[2001:db8::1]:4711", is: "2001:db8::1" },
    { name: "of IPv6 comes as it is", proxies: "::1", from: "::1", said: "2001:db8::1", is: "2001:db8::1" },
    { name: "of IPv4 on a socket of IPv6 is of IPv4", from: "::ffff:192.0.2.7", is: "192.0.2.7" },
    {
      name: "a proxy of IPv4 on a socket of IPv6 is known",
      proxies: "127.0.0.1",
      from: "::ffff:127.0.0.1",
      said: "198.51.100.1",
      is: "198.51.100.1",
    },
    { name: "loses the zone", from: "fe80::1%eth0", is: "fe80::1" },
  ];
  it.each(rows)("$name", ({ proxies, is, ...given }) => {
    expect(addressOf(proxies, given)).toBe(is);
  });

  it("is never moved by what a client puts in front", () => {
    fc.assert(
      fc.property(fc.string(), fc.ipV4(), (forged, real) => {
        fc.pre(!real.startsWith("127."));
        expect(addressOf("127.0.0.0/8", { said: `${forged}, ${real}` })).toBe(real);
      }),
    );
  });

  it.each([
    ["localhost", /"localhost", which is neither an address nor a subnet\. Write them/],
    ["127.0.0.1;10.0.0.1", /neither an address/],
    ["10.0.0.0/33", /neither an address/],
    ["10.0.0.0/8/8", /neither an address/],
    ["10.0.0.0/", /neither an address/],
    ["127.0.0.1, 0.0.0.0/0", /"0\.0\.0\.0\/0", which is everybody/],
    ["::/0", /everybody/],
  ])("proxies that are %s are refused with what to write", (given, message) => {
    expect(() => readClientAddress(given)).toThrow(message);
  });

  it.each([[undefined], [""], [" , "]])("no proxies (%j): what is said is not believed", (given) => {
    expect(addressOf(given, { said: "198.51.100.1" })).toBe("127.0.0.1");
  });
});
