import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NetworkRules } from "@toolwright/engine/ports";
import { createDial, type Dial } from "../http/dial.ts";
import { type Resolve, resolveWithSystem } from "../http/resolve-target.ts";
import { createProxy } from "./proxy-run.ts";
import { type EgressReport, TrafficLog } from "./traffic-log.ts";

export interface EgressOptions {
  /** Default: the system's resolver. Asked once for each connection. */
  readonly resolve?: Resolve;
  /** Default: `createDial()`. Gets checked addresses only. */
  readonly connect?: Dial;
  /** Names of this server, which no run reaches, whatever the rules permit. */
  readonly ownHosts?: readonly string[];
  /** What leads from a run's own loopback to the proxy. Default: socat where it is installed, because it is small, else Node. */
  readonly relay?: "socat" | "node";
  /** Bytes that a run may move, both directions together. Default 2 GiB. */
  readonly maxBytes?: number;
  /** Connections of a run at the same time. Default 256. */
  readonly maxConnections?: number;
  /** Milliseconds without a byte after which a connection is closed. Default five minutes. */
  readonly idleMs?: number;
}

/** The way out of one run: a proxy on a unix socket that only this run is given. The socket is the identity; there is no password. */
export interface Gateway {
  /** Host path, to be mounted into the run. */
  readonly socket: string;
  /** Removes the path, once the run has it mounted: nobody else can come by it, and a crash leaves nothing behind. */
  hide(): void;
  /** Hosts that the run was connected to so far, as HOST:PORT. */
  reached(): readonly string[];
  /** Ends all connections. The report of a closed gateway does not change any more. */
  close(): EgressReport;
}

let known: Dial | undefined;

/** One for all runs: its bundle of authorities takes longer to read than a run to start. */
function systemDial(): Dial {
  known ??= createDial();
  return known;
}

/** Throws when the socket cannot be made. Only `owner`, the user of the run, can connect to it. */
export function openGateway(
  rules: NetworkRules,
  owner: { readonly uid: number; readonly gid: number },
  options: EgressOptions = {},
): Gateway {
  const { resolve = resolveWithSystem, connect: dial = systemDial(), ownHosts = [], maxBytes = 2 ** 31, idleMs = 300_000 } = options;
  const log = new TrafficLog();
  const end = new AbortController();
  const server = createProxy({ rules, ownHosts, resolve, dial, signal: end.signal, log, maxBytes, idleMs });
  const clients = followClients(server);
  const folder = mkdtempSync(join(tmpdir(), `toolwright-egress-${process.pid}-`));
  const socket = join(folder, "proxy");
  const hide = () => rmSync(folder, { recursive: true, force: true });
  server.maxConnections = options.maxConnections ?? 256;
  server.on("drop", () => log.note(`The run had ${server.maxConnections} connections open at a time, so others were refused.`));
  // A path that cannot be listened on is missing for `chmod`, which says so at once.
  server.on("error", () => {});
  try {
    server.listen(socket).unref();
    chmodSync(socket, 0o600);
    if (process.getuid?.() === 0) for (const path of [socket, folder]) chownSync(path, owner.uid, owner.gid);
  } catch (error) {
    hide();
    throw error;
  }
  let report: EgressReport | undefined;
  const close = () => {
    if (report) return report;
    report = log.report();
    end.abort();
    server.close();
    for (const client of clients) client.destroy();
    hide();
    return report;
  };
  return { socket, hide, close, reached: () => log.reached() };
}

function followClients(server: Server): ReadonlySet<Socket> {
  const clients = new Set<Socket>();
  server.on("connection", (client) => {
    clients.add(client);
    client.on("close", () => clients.delete(client));
  });
  return clients;
}

/** What a filtered network permits when nobody says what. */
export const noHosts: NetworkRules = { allow: [], deny: [], allowRanges: [] };
