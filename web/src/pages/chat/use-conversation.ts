import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { api, RequestError } from "../../api/client.ts";
import { askWhoIsThere, type Item, queries, reading } from "../../api/queries.ts";
import { notShown, type Sent, saidByTurn } from "./said-messages.ts";
import { refreshTurns } from "./use-turn.ts";

export type Turn = Item<"turns.list">;

/** Turns of a conversation that the page shows: the last ones. */
export const mostTurns = 50;
/** Milliseconds between looks at an open turn: not all that it does is told as a change. */
const lookMs = 5_000;

const turnsOf = (conversation: string) => reading("turns.list", { conversation, limit: mostTurns });
const mostMessages = 500;

/** All messages, page by page. */
const messagesOf = (conversation: string) => ({
  queryKey: ["messages.list", { conversation }],
  async queryFn({ signal }: { readonly signal: AbortSignal }) {
    const all: Item<"messages.list">[] = [];
    for (;;) {
      const input = { conversation, after: all.at(-1)?.sequence ?? 0, limit: mostMessages };
      const { items } = await api().operate("messages.list", input, { signal });
      all.push(...items);
      if (items.length < mostMessages) return all;
    }
  },
});

export const isOpen = ({ state }: Turn) => state === "running" || state === "waiting";

/** What a conversation holds: its turns in their order, and what people said in each. */
export function useConversation(id: string | undefined) {
  const enabled = id !== undefined;
  const session = useQuery({ ...reading("sessions.get", { id: id ?? "" }), enabled });
  const turns = useQuery({
    ...turnsOf(id ?? ""),
    enabled,
    refetchInterval: ({ state: { data } }) => (data?.items.some(isOpen) ? lookMs : false),
  });
  const messages = useQuery({ ...messagesOf(id ?? ""), enabled });
  const said = useMemo(() => saidByTurn(messages.data ?? []), [messages.data]);
  const error = session.error ?? turns.error ?? messages.error;
  return {
    session: session.data,
    turns: useMemo(() => turns.data?.items.toReversed() ?? [], [turns.data]),
    said,
    isLoading: enabled && !(session.data && turns.data && messages.data),
    error,
    retry: () => void Promise.all([session.refetch(), turns.refetch(), messages.refetch()]),
  };
}

interface SendOptions extends Pick<ReturnType<typeof useConversation>, "said" | "turns"> {
  readonly agent: string;
  readonly conversation: string | undefined;
  /** Hears the conversation that a first message began. */
  readonly onBegun: (conversation: string) => void;
}

/** Sends messages, and keeps those that the conversation does not show yet. */
export function useSend({ agent, conversation, said, turns, onBegun }: SendOptions) {
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const [error, setError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  // One turn for one message, however often it has to be sent.
  const attempt = useRef<{ readonly message: string; readonly key: string }>(undefined);
  const pending = useMemo(() => {
    // A turn that has ended holds all that was sent to it.
    const ended = new Set(turns.flatMap((turn) => (isOpen(turn) ? [] : [turn.id])));
    return notShown(sent, said).filter(({ turn }) => !ended.has(turn));
  }, [sent, said, turns]);
  /** True once an agent has it. */
  const send = async (message: string): Promise<boolean> => {
    if (attempt.current?.message !== message) attempt.current = { message, key: crypto.randomUUID() };
    setSending(true);
    setError(undefined);
    try {
      const turn = await api().beginTurn(agent, { message, conversation }, { idempotencyKey: attempt.current.key });
      attempt.current = undefined;
      if ("approval" in turn) throw new Error("A person has to allow this message first. Answer it under Approvals.");
      const isQueued = turns.some(({ id }) => id === turn.id);
      const place = (said.get(turn.id)?.length ?? 0) + pending.filter((each) => each.turn === turn.id).length;
      setSent([...pending, { text: message, turn: turn.id, place, isQueued }]);
      if (conversation === undefined) {
        queries.setQueryData(turnsOf(turn.conversation).queryKey, { items: [turn] });
        onBegun(turn.conversation);
      }
      refreshTurns();
      return true;
    } catch (problem) {
      askWhoIsThere(problem);
      // The answer said no: the next press is another attempt.
      if (problem instanceof RequestError && problem.status !== undefined) attempt.current = undefined;
      setError(problem);
      return false;
    } finally {
      setSending(false);
    }
  };
  return { send, isSending, error, pending };
}
