import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { reading } from "../../api/queries.ts";
import { useQuiet } from "../../parts/use-quiet.ts";
import type { ListedTool } from "./filter-tools.ts";

/** Characters from which a text says what is meant. */
const fewest = 3;
const mostAsked = 500;
const mostShown = 5;
const none: readonly ListedTool[] = [];

/** Tools with a meaning similar to what is sought, best first, when nobody has typed for a while: of `among`, without those that are `shown` already. */
export function useRelated(
  sought: string,
  { among, shown }: { readonly among: readonly ListedTool[]; readonly shown: readonly ListedTool[] },
): readonly ListedTool[] {
  const query = useQuiet(sought.trim()).slice(0, mostAsked);
  const isAsked = sought.trim().length >= fewest && query.length >= fewest;
  const { data } = useQuery({
    ...reading("tools.search", { query, limit: 20 }),
    enabled: isAsked,
    // A server that cannot say is no reason to trouble anybody: what has the words is shown.
    retry: false,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    if (!isAsked || !data) return none;
    const others = new Map(among.map((tool) => [tool.name, tool]));
    for (const { name } of shown) others.delete(name);
    return data.items.flatMap(({ name }) => others.get(name) ?? []).slice(0, mostShown);
  }, [isAsked, data, among, shown]);
}
