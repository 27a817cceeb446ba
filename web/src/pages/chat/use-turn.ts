import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect, useReducer, useRef, useState } from "react";
import { api } from "../../api/client.ts";
import { askWhoIsThere } from "../../api/queries.ts";
import { addPart, nothingShown, type ShownTurn } from "./ui-message.ts";
import { refreshTurns } from "./use-conversation.ts";

export interface Watched {
  readonly shown: ShownTurn;
  /** Why there is no more of it. */
  readonly error: unknown;
}

/** What people see of a turn: what is there, and what comes while it is open and the tab is looked at. Going on after a lost connection is the client's. */
export function useTurn(id: string, isOpen: boolean): Watched {
  const [shown, add] = useReducer(addPart, nothingShown);
  const [error, setError] = useState<unknown>();
  const seen = useRef(0);
  seen.current = shown.position;
  // A browser has six connections to a server: tabs that nobody looks at take none.
  const isIdle = useDocumentVisibility() === "hidden" && isOpen;
  useEffect(() => {
    if (isIdle) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const read = async () => {
      const after = seen.current;
      if (!isOpen) {
        for (const part of (await api().operate("turns.watch", { id, after }, { signal })).items) add(part);
        return;
      }
      // Somebody who does not know whether it still runs asks anew.
      for await (const part of api().follow("turns.watch", { id, after }, { signal, onLost: refreshTurns })) {
        add(part);
        if (part.chunks.some(isEnd)) return refreshTurns();
      }
    };
    read().then(
      () => setError(undefined),
      (problem: unknown) => {
        if (signal.aborted) return;
        askWhoIsThere(problem);
        setError(problem);
      },
    );
    return () => leaving.abort();
  }, [id, isOpen, isIdle]);
  return { shown, error };
}

const isEnd = (chunk: unknown) => (chunk as { readonly type: string }).type === "finish";
