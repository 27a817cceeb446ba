import { connect, type Socket } from "node:net";
import type { Announcement } from "../database/database.ts";
import { type Role, taking } from "../database/roles.ts";
import type { EmbeddedLink, LinkRows, LinkTransaction } from "./embedded-link.ts";
import { readFrames, writeFrame } from "./frames.ts";
import type { Answer, Request, Response } from "./share-link.ts";

type Ask = Request extends infer One ? (One extends { id: number } ? Omit<One, "id"> : never) : never;

/** Uses the database through the process that holds the folder; undefined when nobody answers at the socket. */
export async function joinHost(
  socket: string,
  onAnnouncements: (announcements: readonly Announcement[]) => void,
): Promise<EmbeddedLink | undefined> {
  const stream = await openSocket(socket);
  if (!stream) return undefined;
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  const ended = Promise.withResolvers<void>();
  let last = 0;
  let open = 0;
  let isLeaving = false;
  const goWhenIdle = () => {
    if (isLeaving && open === 0 && waiting.size === 0) stream.end();
  };
  const ask = (request: Ask): Promise<Answer> => {
    if (!stream.writable) return Promise.reject(lost());
    last += 1;
    const answer = Promise.withResolvers<Answer>();
    waiting.set(last, answer);
    writeFrame(stream, { id: last, ...request });
    if (waiting.size === 1) stream.ref();
    return answer.promise;
  };
  readFrames(stream, (message) => {
    const response = message as Response;
    if ("announcements" in response) return onAnnouncements(response.announcements);
    if ("leaving" in response) {
      // From here on everything new goes another way.
      isLeaving = true;
      ended.resolve();
      return goWhenIdle();
    }
    const answer = waiting.get(response.id);
    waiting.delete(response.id);
    if (waiting.size === 0) stream.unref();
    if ("error" in response) answer?.reject(Object.assign(new Error(response.error.message), response.error));
    else answer?.resolve(response.result);
    // Whoever was answered may go on in this transaction.
    if (isLeaving) setImmediate(goWhenIdle);
  });
  stream.on("error", () => stream.destroy());
  stream.on("close", () => {
    for (const answer of waiting.values()) answer.reject(lost());
    waiting.clear();
    ended.resolve();
  });
  stream.unref();
  // A process that closes takes nobody in any more, while its socket still does: without an answer, nothing was begun there.
  if (!(await isTakenIn(ask))) return undefined;
  return {
    query: (sql, parameters) => ask({ do: "query", sql, parameters }) as Promise<LinkRows>,
    async begin(role) {
      open += 1;
      const onEnd = () => {
        open -= 1;
      };
      const begun = await ask({ do: "begin" }).catch((error: unknown) => {
        onEnd();
        throw error;
      });
      const transaction = toTransaction(begun as number, ask, onEnd);
      return role ? takeRole(transaction, role) : transaction;
    },
    async pin() {
      await ask({ do: "pin" });
      return {
        async release() {
          await ask({ do: "unpin" });
        },
      };
    },
    announce: (announcements) => writeFrame(stream, { do: "announce", announcements }),
    ended: ended.promise,
    async close() {
      stream.destroy();
      await ended.promise;
    },
  };
}

/** Any answer will do: a process of an older version does not know the question. */
function isTakenIn(ask: (request: Ask) => Promise<unknown>): Promise<boolean> {
  return ask({ do: "join" }).then(
    () => true,
    (error: unknown) => !isLost(error),
  );
}

async function takeRole(transaction: LinkTransaction, role: Role): Promise<LinkTransaction> {
  const { sql, parameters } = taking(role);
  try {
    await transaction.query(sql, parameters);
    return transaction;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

function toTransaction(transaction: number, ask: (request: Ask) => Promise<unknown>, onEnd: () => void): LinkTransaction {
  return {
    query: (sql, parameters) => ask({ do: "query", sql, parameters, transaction }) as Promise<LinkRows>,
    commit() {
      onEnd();
      return ask({ do: "commit", transaction }) as Promise<string | undefined>;
    },
    async rollback() {
      onEnd();
      // A connection that broke was rolled back at the other end.
      await ask({ do: "rollback", transaction }).catch(() => undefined);
    },
  };
}

function openSocket(path: string): Promise<Socket | undefined> {
  const stream = connect(path);
  return new Promise((resolve) => {
    stream.once("connect", () => resolve(stream));
    stream.once("error", () => resolve(undefined));
  });
}

const lostCode = "TOOLWRIGHT_HOLDER_LOST";

function lost(): Error {
  return Object.assign(new Error("The process that held the store ended."), { code: lostCode });
}

/** True for the failure of a way that broke; what was under way was rolled back. */
export function isLost(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === lostCode;
}
