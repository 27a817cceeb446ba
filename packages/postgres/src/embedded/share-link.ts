import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import type { Announcement } from "../database/database.ts";
import type { EmbeddedLink, LinkRows, LinkTransaction } from "./embedded-link.ts";
import { readFrames, writeFrame } from "./frames.ts";
import type { Pin } from "./pin-files.ts";

export type Request =
  | {
      readonly id: number;
      readonly do: "query";
      readonly sql: string;
      readonly parameters: readonly unknown[];
      readonly transaction?: number;
    }
  | { readonly id: number; readonly do: "join" | "begin" | "pin" | "unpin" }
  | { readonly id: number; readonly do: "commit" | "rollback"; readonly transaction: number }
  | { readonly do: "announce"; readonly announcements: readonly Announcement[] };

/** Errors keep what PostgreSQL says of them. */
interface WireError {
  readonly message: string;
  readonly code?: string;
  readonly detail?: string;
  readonly constraint?: string;
}

/** Rows of a query, the command that ended a transaction, or the number of one that began. */
export type Answer = LinkRows | string | number | undefined;

export type Response =
  | { readonly id: number; readonly result: Answer }
  | { readonly id: number; readonly error: WireError }
  | { readonly announcements: readonly Announcement[] }
  /** This process closes: finish what you are at, begin nothing more here, and go. */
  | { readonly leaving: true };

export interface Sharing {
  /** Tells the processes that joined, also the one that sent it. */
  tell(announcements: readonly Announcement[]): void;
  /** Lets the others finish what they are at. */
  close(): Promise<void>;
  /** Cuts them off. */
  cut(): Promise<void>;
}

interface ShareOptions {
  readonly socket: string;
  readonly onAnnouncements: (announcements: readonly Announcement[]) => void;
  /** Milliseconds without a word in a transaction, after which it is rolled back and its process cut off. */
  readonly mostSilenceMs: number;
  /** Milliseconds that closing waits for what others are at. */
  readonly mostLeavingMs: number;
}

type Shared = Pick<EmbeddedLink, "query" | "begin" | "pin">;

/** Serves the link to other processes of this user. What a process began and did not end is rolled back when its connection ends. */
export async function shareLink(link: Shared, { socket, onAnnouncements, mostSilenceMs, mostLeavingMs }: ShareOptions): Promise<Sharing> {
  const clients = new Set<Socket>();
  const tell = (announcements: readonly Announcement[]) => {
    for (const client of clients) writeFrame(client, { announcements } satisfies Response);
  };
  const server = createServer((client) => {
    clients.add(client);
    client.on("close", () => clients.delete(client));
    const onHeard = (announcements: readonly Announcement[]) => {
      tell(announcements);
      onAnnouncements(announcements);
    };
    serveClient(client, link, { onAnnouncements: onHeard, mostSilenceMs });
  });
  // The lock on the folder is held, so whoever made this file is gone.
  rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600);
  server.unref();
  const cutAll = () => {
    for (const client of clients) client.destroy();
  };
  const stopped = Promise.withResolvers<void>();
  return {
    tell,
    close() {
      server.close(() => stopped.resolve());
      // They are waited for: until now, nothing of theirs kept this process alive.
      for (const client of clients) writeFrame(client.ref(), { leaving: true } satisfies Response);
      const late = setTimeout(cutAll, mostLeavingMs);
      return stopped.promise.finally(() => clearTimeout(late));
    },
    cut() {
      server.close(() => stopped.resolve());
      cutAll();
      return stopped.promise;
    },
  };
}

type Serving = Pick<ShareOptions, "onAnnouncements" | "mostSilenceMs">;

function serveClient(client: Socket, link: Shared, { onAnnouncements, mostSilenceMs }: Serving): void {
  const open = new Map<number, LinkTransaction>();
  const pins: Pin[] = [];
  client.unref();
  let silence: NodeJS.Timeout | undefined;
  // A process that was stopped in the middle must not hold up all the others.
  const watchSilence = () => {
    clearTimeout(silence);
    silence = open.size > 0 ? setTimeout(() => client.destroy(), mostSilenceMs).unref() : undefined;
  };
  const answer = async (request: Exclude<Request, { do: "announce" }>) => {
    try {
      const result = await perform(request, link, { open, pins });
      // It may have gone while it waited for its turn.
      if (client.destroyed && request.do === "begin") await open.get(request.id)?.rollback();
      else if (client.destroyed && request.do === "pin") await pins.pop()?.release();
      else if (!client.destroyed) writeFrame(client, { id: request.id, result } satisfies Response);
    } catch (error) {
      if (!client.destroyed) writeFrame(client, { id: request.id, error: toWire(error) } satisfies Response);
    }
    watchSilence();
  };
  readFrames(client, (message) => {
    const request = message as Request;
    if (request.do === "announce") onAnnouncements(request.announcements);
    else void answer(request);
  });
  client.on("error", () => client.destroy());
  client.on("close", () => {
    clearTimeout(silence);
    for (const transaction of open.values()) void transaction.rollback();
    open.clear();
    for (const pin of pins.splice(0)) void pin.release().catch(() => undefined);
  });
}

async function perform(
  request: Exclude<Request, { do: "announce" }>,
  link: Shared,
  { open, pins }: { readonly open: Map<number, LinkTransaction>; readonly pins: Pin[] },
): Promise<Answer> {
  switch (request.do) {
    case "join":
      return undefined;
    case "begin":
      open.set(request.id, await link.begin());
      return request.id;
    case "pin":
      pins.push(await link.pin());
      return undefined;
    case "unpin": {
      const pin = pins.pop();
      if (!pin) throw new Error("Nothing is held for this connection.");
      await pin.release();
      return undefined;
    }
    case "query": {
      if (request.transaction === undefined) return link.query(request.sql, request.parameters);
      return requireOpen(open, request.transaction).query(request.sql, request.parameters);
    }
    default: {
      const transaction = requireOpen(open, request.transaction);
      open.delete(request.transaction);
      if (request.do === "commit") return transaction.commit();
      await transaction.rollback();
      return undefined;
    }
  }
}

function requireOpen(open: ReadonlyMap<number, LinkTransaction>, id: number): LinkTransaction {
  const transaction = open.get(id);
  if (!transaction) throw new Error("There is no such transaction on this connection.");
  return transaction;
}

function toWire(error: unknown): WireError {
  const { message, code, detail, constraint } = error as WireError;
  return { message: String(message), ...(code && { code }), ...(detail && { detail }), ...(constraint && { constraint }) };
}
