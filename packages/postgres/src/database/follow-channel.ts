import type pg from "pg";
import type { Announcement } from "./database.ts";

interface Following {
  readonly onNotice: (announcement?: Announcement) => void;
  readonly warn: (message: string) => void;
}

const firstRetryMs = 200;
const mostRetryMs = 5_000;
/** Milliseconds after which listeners look themselves, whatever was announced. */
const lookAgainMs = 5_000;

/** Listens on a connection of its own and opens it again whenever it breaks. Returns how to stop. */
export function followChannel(open: () => pg.Client, { onNotice, warn }: Following): () => Promise<void> {
  let client: pg.Client | undefined;
  let stopped = false;
  let retryMs = firstRetryMs;
  let retry: NodeJS.Timeout | undefined;
  const tryAgain = (error: unknown) => {
    if (stopped || retry) return;
    warn(`The connection that hears of changes was lost (${error instanceof Error ? error.message : String(error)}); trying again.`);
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
  return async () => {
    stopped = true;
    clearTimeout(retry);
    clearInterval(look);
    await first;
    await client?.end().catch(() => undefined);
  };
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
