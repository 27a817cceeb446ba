import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolwrightError } from "@toolwright/engine";
import type { ClientAddress } from "./client-address.ts";
import { type FetchHandler, nodeListener } from "./node-listener.ts";

export interface Listening {
  readonly url: string;
  /** Takes no more requests, lets `finish` end what is open, and cuts off what is left after `graceMs`. */
  close(graceMs: number, finish: () => Promise<void>): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly addressOf?: ClientAddress;
  readonly onError: (error: unknown) => void;
  /** Milliseconds for a request to arrive, with its body; how long its answer takes is another matter. Default 30 seconds. */
  readonly requestMs?: number;
}

const defaultRequestMs = 30_000;

export async function listen(
  handle: FetchHandler,
  { host, port, addressOf, onError, requestMs = defaultRequestMs }: ListenOptions,
): Promise<Listening> {
  const limits = { requestTimeout: requestMs, connectionsCheckingInterval: Math.min(1_000, requestMs) };
  const server = createServer(limits, nodeListener(handle, onError, addressOf));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}`,
    async close(graceMs, finish) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const limit = setTimeout(() => server.closeAllConnections(), graceMs);
      server.closeIdleConnections();
      await Promise.race([finish(), closed]);
      server.closeIdleConnections();
      await closed;
      clearTimeout(limit);
    },
  };
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const refuse = (message: string) => new ToolwrightError("server_unavailable", message, { cause: error });
  switch (error.code) {
    case "EADDRINUSE":
      return refuse(
        `Port ${port} of ${host} is taken by another program. Stop that, or choose another: --port ${port + 1} (npm start -- --port ${port + 1}).`,
      );
    case "EACCES":
      return refuse(`Port ${port} may not be used by this user. Choose one above 1023, e.g. --port 7777.`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return refuse(`${host} is not an address of this machine. Use --host 127.0.0.1 or --host 0.0.0.0.`);
    default:
      return error;
  }
}
