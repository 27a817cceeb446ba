import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { isLarge } from "../../form/input-size.ts";
import type { Json } from "../../form/json-schema.ts";
import { useQuiet } from "../../parts/use-quiet.ts";

/** A question about one input. */
export function whyOf(tool: string, input: Json) {
  return queryOptions({
    queryKey: ["policy.why", { tool, input }] as const,
    queryFn: async ({ signal }) => (await api().operate("policy.why", { tool, input: input as never }, { signal })).explanation,
    staleTime: 2_000,
    gcTime: 30_000,
  });
}

type Why = Awaited<ReturnType<NonNullable<ReturnType<typeof whyOf>["queryFn"]>>>;

/** What the gate says of this input before it is run: its decision, and what does not fit. Of a large one, it is the call itself that is asked. */
export function useWhy(tool: string, input: Json): { readonly why?: Why | undefined; readonly error?: Error | null } {
  const quiet = useQuiet(input);
  // A key is written out whenever a page is drawn.
  const isAsked = !isLarge(quiet);
  const { data: why, error } = useQuery({ ...whyOf(tool, isAsked ? quiet : null), enabled: isAsked, placeholderData: keepPreviousData });
  return isAsked ? { why, error } : {};
}
