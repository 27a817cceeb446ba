import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, RequestError } from "../api/client.ts";
import { affectedBy } from "./affected.ts";
import { readServerFacts } from "./use-server-facts.ts";

export interface Live {
  /** When the page last heard of the server; undefined while it does. */
  readonly lostAt?: number | undefined;
  /** A newer build of the console is served. */
  readonly isOutdated: boolean;
}

/** Milliseconds without the server before the page says so. */
const patienceMs = 3_000;
/** Milliseconds before a stream that was refused is asked for again. */
const againMs = 5_000;
/** Milliseconds in which changes are gathered, so that a busy server is not asked for each. */
const gatherMs = 1_000;

const build = document.querySelector<HTMLMetaElement>('meta[name="toolwright-build"]')?.content;

/** Keeps what is shown up to date by one stream of changes while the tab is looked at, and says when it is not. */
export function useLive(enabled: boolean): Live {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live>({ isOutdated: false });
  useEffect(() => {
    if (!enabled) return;
    let stop = () => {};
    // A browser has six connections to a server: tabs that nobody looks at take none.
    const look = () => {
      stop();
      stop = document.visibilityState === "visible" ? watch(queries, setLive) : () => {};
    };
    look();
    for (const [target, event] of moments) target.addEventListener(event, look);
    return () => {
      stop();
      for (const [target, event] of moments) target.removeEventListener(event, look);
    };
  }, [enabled, queries]);
  return live;
}

const moments = [
  [document, "visibilitychange"],
  [window, "online"],
  [window, "offline"],
] as const;

type SetLive = (change: (before: Live) => Live) => void;

/** Watches until it is stopped. Each time that a stream begins, what is shown is read anew: what happened before it is not told. */
function watch(queries: QueryClient, setLive: SetLive): () => void {
  const stopped = new AbortController();
  const { signal } = stopped;
  const old = gather(queries, signal);
  let lost: ReturnType<typeof setTimeout> | undefined;
  const onLost = () => {
    const lostAt = Date.now();
    lost ??= setTimeout(() => setLive((now) => ({ ...now, lostAt: now.lostAt ?? lostAt })), patienceMs);
  };
  const onReady = async () => {
    clearTimeout(lost);
    lost = undefined;
    old.add("");
    const { build: served } = await readServerFacts();
    setLive(() => ({ isOutdated: build !== undefined && served !== undefined && served !== build }));
  };
  const run = async () => {
    while (!signal.aborted) {
      try {
        for await (const change of api().follow("changes.watch", {}, { signal, onLost })) {
          if (change.type === "watch.ready") await onReady();
          else for (const beginning of affectedBy(change)) old.add(beginning);
        }
      } catch (error) {
        if (error instanceof RequestError && error.status === 401) old.add("principals.");
        else onLost();
      }
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  };
  void run();
  signal.addEventListener("abort", () => clearTimeout(lost));
  return () => stopped.abort();
}

/** Has what is old read anew, at most once in a while. A query that keeps still is left as it is: its page says what is new, and waits for a press. */
function gather(queries: QueryClient, signal: AbortSignal) {
  const beginnings = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    const old = [...beginnings];
    beginnings.clear();
    void queries.invalidateQueries({
      predicate: ({ queryKey: [name], state: { data }, meta }) =>
        (data === undefined || meta?.isStill !== true) && old.some((beginning) => String(name).startsWith(beginning)),
    });
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  return {
    add(beginning: string) {
      beginnings.add(beginning);
      timer ??= setTimeout(flush, gatherMs);
    },
  };
}
