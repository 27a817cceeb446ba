import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { createDial, type DialTarget } from "../http/dial.ts";
import type { ReceivedRequest } from "./scripted-web.ts";
import { testIdentity } from "./test-identity.ts";

/** What happened while a case of the URL corpus ran. */
export interface Observed {
  readonly dialled: readonly DialTarget[];
  readonly received: readonly ReceivedRequest[];
  /** Every address that the scripted names have. */
  readonly addresses: ReadonlySet<string>;
}

/** True when the assertion holds. */
export type Assertion = (observed: Observed) => boolean | Promise<boolean>;

type Form = readonly [RegExp, (seen: Observed, ...groups: string[]) => boolean | Promise<boolean>];

/** In the order in which they are tried. A hop is counted from 1. */
const forms: readonly Form[] = [
  [/^(?:sni|servername)\s*[=:]\s*(\S+)$/, ({ dialled }, name) => dialled.every(({ host, secure }) => host === name && secure)],
  [/^host(?: header)?\s*[=:]\s*(\S+?)(?: on hop (\d+))?$/, (seen, name, hop = "1") => at(seen, hop)?.headers.host === name],
  [/^method\s*[=: ]\s*(\w+)(?: on hop (\d+))?$/, (seen, method, hop = "1") => at(seen, hop)?.method.toLowerCase() === method],
  [/^(?:hops|requests)\s*[=:]\s*(\d+)$/, ({ received }, count) => received.length === Number(count)],
  [/^(?:connect|dial|address)\s*[=:]\s*(\S+)$/, ({ dialled }, address) => dialled.every((target) => target.address === address)],
  [/\bprox(?:y|ies|ied)\b(?!-)|^direct\b/, (seen) => isDirect(seen)],
  [/\b(?:tls|certificates?)\b/, () => refusesUnknownCertificate()],
  [/^no (.+) on hop (\d+)$/, (seen, what, hop) => !hasAny(what, at(seen, hop))],
  [/^no (.+) (?:after|beyond) hop (\d+)$/, ({ received }, what, hop) => !hasAny(what, ...received.slice(Number(hop)))],
  [
    /^no (.+) (?:to|for|at) (\S+\.\S+)$/,
    ({ received }, what, host) => !hasAny(what, ...received.filter(({ headers }) => headers.host === host)),
  ],
  [/^(.+) (?:dropped|removed|absent|gone) on hop (\d+)$/, (seen, what, hop) => !hasAny(what, at(seen, hop))],
  [/^(.+) (?:dropped|removed|absent|gone)(?: across origins)?$/, ({ received }, what) => !hasAny(what, ...received.slice(1))],
  [/^no (.+?)(?: across origins)?$/, ({ received }, what) => !hasAny(what, ...received.slice(received.length > 1 ? 1 : 0))],
  [/^(.+?)(?: kept| sent)? on hop (\d+)$/, (seen, what, hop) => names(what).every((name) => has(at(seen, hop), name))],
];

/** Reads an assertion, or several with `;` between them. Throws for one that it does not know. */
export function parseAssertion(text: string): Assertion {
  const all = text.split(";").map((part) => parseOne(part.trim().toLowerCase()));
  return async (observed) => (await Promise.all(all.map((holds) => holds(observed)))).every(Boolean);
}

function parseOne(text: string): Assertion {
  for (const [form, holds] of forms) {
    const groups = form.exec(text);
    if (groups) return (seen) => holds(seen, ...groups.slice(1));
  }
  throw new Error(`The corpus has an assertion that is not known here: ${JSON.stringify(text)}`);
}

const at = ({ received }: Observed, hop: string | undefined) => received[Number(hop) - 1];

const groups: ReadonlyMap<string, readonly string[]> = new Map([
  ["credentials", ["authorization", "cookie", "x-api-key"]],
  ["secrets", ["authorization", "cookie", "x-api-key"]],
]);

/** `body` or names of headers: `Authorization, Cookie or body`. */
function names(what: string): readonly string[] {
  return what
    .split(/,|\s(?:and|or|nor)\s/)
    .map((name) => name.trim().replace(/ headers?$/, ""))
    .filter((name) => name !== "")
    .flatMap((name) => groups.get(name) ?? [name]);
}

const hasAny = (what: string | undefined, ...requests: readonly (ReceivedRequest | undefined)[]) =>
  names(what ?? "").some((name) => requests.some((request) => has(request, name)));

function has(request: ReceivedRequest | undefined, name: string): boolean {
  if (!/^[a-z0-9_-]+$/.test(name))
    throw new Error(`The corpus asserts something about ${JSON.stringify(name)}, which is no header or body.`);
  return request !== undefined && (name === "body" ? request.body !== "" : request.headers[name] !== undefined);
}

/** Each request went over a socket of its own to an answer of the resolver, and none was put to a proxy. */
function isDirect({ dialled, received, addresses }: Observed): boolean {
  return dialled.length > 0 && dialled.every(({ address }) => addresses.has(address)) && received.every(({ path }) => path.startsWith("/"));
}

/** With whatever the environment says now, a certificate of nobody known is refused. */
async function refusesUnknownCertificate(): Promise<boolean> {
  const server = createServer(testIdentity).on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const socket = await createDial()({ address: "127.0.0.1", port, host: "secure.example", secure: true });
    socket.destroy();
    return false;
  } catch {
    return true;
  } finally {
    server.close();
  }
}
