import { ToolwrightError } from "@toolwright/engine";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = readonly [Address, number];

/** Instance metadata, credential and platform endpoints of clouds; a range of the policy opens them only when it names nothing else. */
const platformAddresses = new Set(
  [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
  ].map((text) => ipaddr.parse(text).toNormalizedString()),
);

/** RFC 4291 section 2.4: global unicast is handed out of 2000::/3 only, which leaves out every form that embeds an IPv4 address but 6to4, Teredo and ISATAP. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** Reads the CIDR ranges that a policy opens. Throws `policy_invalid`. */
export function parseRanges(texts: readonly string[]): readonly AddressRange[] {
  return texts.map((text) => {
    if (!ipaddr.isValidCIDR(text)) {
      throw new ToolwrightError(
        "policy_invalid",
        `network.allowRanges holds ${JSON.stringify(text)}, which is not a CIDR range; write 10.1.2.0/24.`,
      );
    }
    return ipaddr.parseCIDR(text);
  });
}

/** True when a socket may be opened to this address: it is public, or in a range that the policy opens. */
export function isReachable(text: string, open: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  const platform = platformAddresses.has(address.toNormalizedString());
  return (!platform && isPublic(address)) || open.some((range) => isOpened(address, range, platform));
}

function isOpened(address: Address, [base, prefix]: AddressRange, platform: boolean): boolean {
  if (address.kind() !== base.kind()) return false;
  return address.match(base, prefix) && (!platform || prefix === base.toByteArray().length * 8);
}

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(globalUnicast) && !isIsatap(address);
}

/** RFC 5214 section 6.1: the interface identifier 0000:5efe or 0200:5efe embeds an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}
