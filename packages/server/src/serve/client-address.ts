import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { SettingsError } from "../settings-error.ts";

/** Address of the client of a request, in the form that logs and limits go by. */
export type ClientAddress = (incoming: Pick<IncomingMessage, "headers" | "socket">) => string;

/**
 * `given`: addresses and subnets of reverse proxies, with commas between them. Only what comes from one of them is believed when it says who its
 * client is: X-Forwarded-For is read from its end, where each proxy adds whom it heard, up to the first address that is none of the proxies'.
 * What stands before that anybody can have written.
 */
export function readClientAddress(given: string | undefined): ClientAddress {
  const proxies = readProxies(given);
  if (!proxies) return ({ socket }) => plain(socket.remoteAddress) ?? "unknown";
  return ({ headers, socket }) => {
    let address = plain(socket.remoteAddress);
    const said = String(headers["x-forwarded-for"] ?? "").split(",");
    while (address !== undefined && isOf(proxies, address)) {
      const before = withoutPort(said.pop()?.trim() ?? "");
      if (before === undefined) break;
      address = before;
    }
    return address ?? "unknown";
  };
}

function readProxies(given: string | undefined): BlockList | undefined {
  const names = (given ?? "").split(",").flatMap((name) => name.trim() || []);
  if (names.length === 0) return undefined;
  const proxies = new BlockList();
  for (const name of names) {
    const [address = "", bits, ...more] = name.split("/");
    const version = isIP(address);
    const longest = version === 4 ? 32 : 128;
    const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (version === 0 || !(length <= longest) || more.length > 0)
      throw new SettingsError(
        `TOOLWRIGHT_TRUSTED_PROXIES has "${name}", which is neither an address nor a subnet. Write them with commas between, as in 127.0.0.1,10.0.0.0/8.`,
      );
    if (length === 0)
      throw new SettingsError(
        `TOOLWRIGHT_TRUSTED_PROXIES has "${name}", which is everybody: any client could then say that it is another. Name the proxies only.`,
      );
    proxies.addSubnet(address, length, version === 4 ? "ipv4" : "ipv6");
  }
  return proxies;
}

const isOf = (proxies: BlockList, address: string) => proxies.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

/** An IPv4 address stays one on a socket of IPv6, and a zone is of this machine only. */
function plain(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").split("%", 1)[0];
}

/** Some proxies add the port. Undefined for what is no address. */
function withoutPort(text: string): string | undefined {
  const [, inner] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? /^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  const address = plain(inner ?? text);
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}
