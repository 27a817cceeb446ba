import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { addPart, nothingShown, type ShownTurn } from "./ui-message.ts";
import type { Watched } from "./use-turn.ts";

/** Milliseconds between looks at one that is open. */
const lookMs = 500;

function shownOf(id: string) {
  const queryKey = ["turns.watch", { id }] as const;
  return {
    queryKey,
    async queryFn({ signal }: { readonly signal: AbortSignal }): Promise<ShownTurn> {
      const before = queries.getQueryData<ShownTurn>(queryKey) ?? nothingShown;
      const { items } = await api().operate("turns.watch", { id, after: before.position }, { signal });
      return items.reduce(addPart, before);
    },
  };
}

/** What people see of a sub-agent's turn, a look at a time: several are shown at once, and a browser has six connections to a server. */
export function useSubTurn(id: string, isOpen: boolean): Watched {
  const { data: shown = nothingShown, error } = useQuery({ ...shownOf(id), refetchInterval: isOpen && lookMs });
  return { shown, error: error ?? undefined };
}
