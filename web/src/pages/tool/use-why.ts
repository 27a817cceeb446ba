import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
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

/** What the gate says of this input before it is run: its decision, and what does not fit. */
export function useWhy(tool: string, input: Json) {
  const { data: why, error } = useQuery({ ...whyOf(tool, useQuiet(input)), placeholderData: keepPreviousData });
  return { why, error };
}
