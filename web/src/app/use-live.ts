import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../api/client.ts";
import { readServerFacts } from "./use-server-facts.ts";

export interface Live {
  /** When the page last heard of the server; undefined while it does. */
  readonly lostAt?: number | undefined;
  /** A newer build of the console is served. */
  readonly isOutdated: boolean;
}

const everyMs = 4_000;
const build = document.querySelector<HTMLMetaElement>('meta[name="toolwright-build"]')?.content;

/** Keeps what is shown up to date while the tab is looked at, and says when it is not. */
export function useLive(enabled: boolean): Live {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live>({ isOutdated: false });
  useEffect(() => {
    if (!enabled) return;
    let heardAt = Date.now();
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      if (document.visibilityState === "visible")
        try {
          const { build: served } = await readServerFacts();
          await queries.fetchQuery({ queryKey: ["approvals.list", {}], queryFn: () => api().operate("approvals.list", {}), staleTime: 0 });
          heardAt = Date.now();
          setLive((now) => {
            if (now.lostAt !== undefined) void queries.invalidateQueries();
            return { isOutdated: build !== undefined && served !== undefined && served !== build };
          });
        } catch {
          setLive((now) => ({ ...now, lostAt: now.lostAt ?? heardAt }));
        }
      timer = setTimeout(look, everyMs);
    };
    timer = setTimeout(look, everyMs);
    return () => clearTimeout(timer);
  }, [enabled, queries]);
  return live;
}
