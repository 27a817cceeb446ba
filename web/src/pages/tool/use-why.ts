import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Answer, reading } from "../../api/queries.ts";
import { isLarge } from "../../form/input-size.ts";
import type { Json } from "../../form/json-schema.ts";
import { useQuiet } from "../../parts/use-quiet.ts";

/** A question about one input. */
export function whyOf(tool: string, input: Json) {
  return { ...reading("policy.why", { tool, input: input as never }), staleTime: 2_000, gcTime: 30_000 };
}

interface Told {
  readonly why?: Answer<"policy.why">["explanation"] | undefined;
  readonly error?: Error | null;
}

/** What the gate says of this input before it is run: its decision, and what does not fit. Of a large one, it is the call itself that is asked. */
export function useWhy(tool: string, input: Json): Told {
  const quiet = useQuiet(input);
  // A key is written out whenever a page is drawn.
  const isAsked = !isLarge(quiet);
  const { data, error } = useQuery({ ...whyOf(tool, isAsked ? quiet : null), enabled: isAsked, placeholderData: keepPreviousData });
  return isAsked ? { why: data?.explanation, error } : {};
}
