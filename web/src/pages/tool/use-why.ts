import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../../api/client.ts";
import type { Json } from "../../form/json-schema.ts";

const quietMs = 300;

/** The value as it was when nobody had changed it for a while. */
function useQuiet<Value>(value: Value): Value {
  const [quiet, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), quietMs);
    return () => clearTimeout(timer);
  }, [value]);
  return quiet;
}

/** What the gate says of this input before it is run: its decision, and what does not fit. */
export function useWhy(tool: string, input: Json) {
  const quiet = useQuiet(input);
  const { data, error } = useQuery({
    queryKey: ["policy.why", { tool, input: quiet }] as const,
    queryFn: ({ signal }) => api().operate("policy.why", { tool, input: quiet as never }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 30_000,
  });
  return { why: data?.explanation, error };
}
