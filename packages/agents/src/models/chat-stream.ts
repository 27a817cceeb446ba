import { z } from "zod";
import { fetchStream, type StreamOptions } from "./read-stream.ts";

const choice = z.looseObject({
  message: z.looseObject({ tool_calls: z.array(z.looseObject({})).nullish() }).optional(),
  delta: z.looseObject({}).optional(),
  finish_reason: z.string().nullish(),
});
const answer = z.looseObject({ choices: z.array(choice) });
const refusal = z.looseObject({ error: z.union([z.string(), z.looseObject({})]) });

/** Sends requests of Chat Completions to servers that ignore `stream`, or leave out why an answer ended. */
export function fetchChat({ id, fetch }: Pick<StreamOptions, "id" | "fetch">): typeof globalThis.fetch {
  return fetchStream({
    ...{ id, fetch, toPieces },
    ending: {
      last: /^data:\s*\[DONE\]/m,
      said: /"delta"\s*:/,
      reason: /"finish_reason"\s*:\s*"/,
      piece: { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    },
  });
}

/** An answer whole, a piece of one, or an error in its place. */
function toPieces(value: unknown): readonly unknown[] | undefined {
  const refused = refusal.safeParse(value).data;
  if (refused) return [typeof refused.error === "string" ? { error: { message: refused.error } } : refused];
  const { choices, ...rest } = answer.safeParse(value).data ?? {};
  if (!choices) return undefined;
  return [{ ...rest, choices: choices.map(toDelta) }];
}

function toDelta({ message, delta = message, ...rest }: z.output<typeof choice>) {
  if (!message) return { ...rest, delta };
  const calls = message.tool_calls?.map((call, index) => ({ ...call, index })) ?? [];
  return {
    ...rest,
    delta: { ...message, tool_calls: calls },
    finish_reason: rest.finish_reason ?? (calls.length > 0 ? "tool_calls" : "stop"),
  };
}
