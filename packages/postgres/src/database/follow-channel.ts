import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import type { Announcement } from "./database.ts";

interface Following {
  readonly onNotice: (announcement?: Announcement) => void;
  /** The server holds its connections and does not answer: a stopped machine, a network that swallows everything. */
  readonly onSilent: () => void;
  readonly warn: (message: string) => void;
  /** Milliseconds that a question may wait for its answer. */
  readonly silenceMs: number;
}

const firstRetryMs = 200;
const mostRetryMs = 5_000;
/** Milliseconds after which listeners look themselves, whatever was announced. */
const lookAgainMs = 5_000;
/** Milliseconds for the connection to be closed. */
const closeMs = 1_000;

/** Listens on a connection of its own and opens it again whenever it breaks. Returns how to stop. */
export function followChannel(open: () => pg.Client, { onNotice, onSilent, warn, silenceMs }: Following): () => Promise<void> {
  let client: pg.Client | undefined;
  let stopped = false;
  let retryMs = firstRetryMs;
  let retry: NodeJS.Timeout | undefined;
  const tryAgain = (error: unknown) => {
    if (stopped || retry) return;
    warn(`The connection that receives change notices was lost (${error instanceof Error ? error.message : String(error)}); trying again.`);
    retry = setTimeout(() => void connect(), retryMs);
    retryMs = Math.min(retryMs * 2, mostRetryMs);
  };
  const connect = async () => {
    retry = undefined;
    const fresh = open();
    client = fresh;
    fresh.on("error", (error) => void fresh.end().then(() => tryAgain(error)));
    fresh.on("end", () => tryAgain(new Error("it ended")));
    fresh.on("notification", ({ payload }) => onNotice(readNotice(payload)));
    try {
      await fresh.connect();
      await fresh.query("listen toolwright");
      retryMs = firstRetryMs;
      onNotice();
    } catch (error) {
      tryAgain(error);
    }
  };
  const first = connect();
  const look = setInterval(() => onNotice(), lookAgainMs);
  const stopAsking = askOften(() => client, { onSilent, silenceMs });
  return async () => {
    stopped = true;
    clearTimeout(retry);
    clearInterval(look);
    stopAsking();
    const ended = first.then(() => client?.end()).catch(() => undefined);
    await Promise.race([ended, wait(closeMs, undefined, { ref: false })]);
  };
}

/** A connection on which nobody waits for a statement tells a server that is gone from one that works. Returns how to stop. */
function askOften(current: () => pg.Client | undefined, { onSilent, silenceMs }: Pick<Following, "onSilent" | "silenceMs">): () => void {
  let asked: pg.Client | undefined;
  const ask = (client: pg.Client) => {
    asked = client;
    const answered = () => {
      if (asked === client) asked = undefined;
    };
    client.query("select 1").then(answered, answered);
  };
  const giveUp = (client: pg.Client) => {
    if (asked !== client) return;
    asked = undefined;
    void client.end();
    onSilent();
  };
  const timer = setInterval(() => {
    const [waiting, client] = [asked, current()];
    // After one turn: an answer may have come while this process was held up.
    if (waiting && waiting === client) setImmediate(giveUp, waiting);
    else if (client) ask(client);
  }, silenceMs);
  return () => clearInterval(timer);
}

/** Undefined for a payload that is not ours: listeners then look themselves. */
function readNotice(payload: string | undefined): Announcement | undefined {
  try {
    const { topic, tenant, id } = JSON.parse(payload ?? "") as Announcement;
    return typeof topic === "string" && typeof tenant === "string" && typeof id === "string" ? { topic, tenant, id } : undefined;
  } catch {
    return undefined;
  }
}
