import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { ToolwrightError } from "@toolwright/engine";
import { type AddressRange, isReachable } from "./address.ts";

/** All addresses of a host name, in the order in which they are tried. Rejects or returns none when there is none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const resolveWithSystem: Resolve = async (host) => {
  const answers = await lookup(host, { all: true, order: "ipv4first" });
  return answers.map((answer) => answer.address);
};

/** Resolves a judged host once, and refuses it when any of its addresses may not be reached. */
export async function resolveTarget(host: string, resolve: Resolve, open: readonly AddressRange[]): Promise<readonly string[]> {
  if (isIP(host) !== 0) {
    if (isReachable(host, open)) return [host];
    throw new ToolwrightError("url_refused", `${host} is not a public address; only public addresses may be reached.`);
  }
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw notResolved(host, cause);
  });
  if (addresses.length === 0) throw notResolved(host);
  if (addresses.every((address) => isReachable(address, open))) return addresses;
  throw new ToolwrightError("url_refused", `${host} resolves to an address that is not public; only public addresses may be reached.`);
}

function notResolved(host: string, cause?: unknown): ToolwrightError {
  return new ToolwrightError("name_not_resolved", `The host name ${host} has no address; check its spelling.`, { cause });
}
