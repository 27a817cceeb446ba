import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { api, RequestError } from "../../api/client.ts";
import { type Answer, askWhoIsThere, type Item, queries, reading } from "../../api/queries.ts";
import { countHeld, type Held, notShown, type Sent, saidByTurn, toQueued } from "./said-messages.ts";

export type Turn = Item<"turns.list">;

/** Turns of a conversation that the page shows: the last ones. */
export const mostTurns = 50;
/** Milliseconds between looks at an open turn, and at messages that wait for it: not all that it does is told as a change. */
export const lookMs = 5_000;
const queueLookMs = 1_000;

const turnsOf = (conversation: string) => reading("turns.list", { conversation, limit: mostTurns });
const mostMessages = 500;

/** All messages, page by page, after those that were read before: a message stays as it is. */
function messagesOf(conversation: string) {
  const queryKey = ["messages.list", { conversation }] as const;
  return {
    queryKey,
    async queryFn({ signal }: { readonly signal: AbortSignal }): Promise<Answer<"messages.list">> {
      const all = [...(queries.getQueryData<Answer<"messages.list">>(queryKey)?.items ?? [])];
      for (;;) {
        const input = { conversation, after: all.at(-1)?.sequence ?? 0, limit: mostMessages };
        const { items, queued } = await api().operate("messages.list", input, { signal });
        all.push(...items);
        if (items.length < mostMessages) return { items: all, queued };
      }
    },
  };
}

export const isOpen = ({ state }: Turn) => state === "running" || state === "waiting";

/** What a turn changes is read anew. */
export function refreshTurns(): void {
  void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => /^(turns|messages|sessions)\./.test(String(name)) });
}

const nothingSaid: Answer<"messages.list"> = { items: [], queued: [] };

/** What a conversation holds: its turns in their order, and what people said in each. */
export function useConversation(id: string | undefined) {
  const enabled = id !== undefined;
  const session = useQuery({ ...reading("sessions.get", { id: id ?? "" }), enabled });
  const turns = useQuery({
    ...turnsOf(id ?? ""),
    enabled,
    refetchInterval: ({ state: { data } }) => (data?.items.some(isOpen) ? lookMs : false),
  });
  const messages = useQuery({
    ...messagesOf(id ?? ""),
    enabled,
    refetchInterval: ({ state: { data } }) => (data?.queued.length ? queueLookMs : false),
  });
  const { items, queued } = messages.data ?? nothingSaid;
  const error = session.error ?? turns.error ?? messages.error;
  return {
    session: session.data,
    turns: useMemo(() => turns.data?.items.toReversed() ?? [], [turns.data]),
    said: useMemo(() => saidByTurn(items), [items]),
    queued: useMemo(() => toQueued(queued), [queued]),
    isLoading: enabled && !(session.data && turns.data && messages.data),
    error,
    retry: () => void Promise.all([session.refetch(), turns.refetch(), messages.refetch()]),
  };
}

interface SendOptions extends Held {
  readonly turns: readonly Turn[];
  readonly agent: string;
  readonly conversation: string | undefined;
  /** Hears the conversation that a first message began. */
  readonly onBegun: (conversation: string) => void;
}

/** What is typed. */
export interface Message {
  readonly message: string;
  /** Ends the turn that is open first. */
  readonly interrupt: boolean;
  readonly files: readonly File[];
}

const isSame = (one: Message | undefined, other: Message) =>
  one?.message === other.message && one.interrupt === other.interrupt && one.files === other.files;

/** Sends messages, and keeps those that the conversation does not show yet. */
export function useSend({ agent, conversation, said, queued, turns, onBegun }: SendOptions) {
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const [error, setError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  // One turn for one message, however often it has to be sent.
  const attempt = useRef<Message & { readonly key: string }>(undefined);
  const pending = useMemo(() => {
    // A turn that has ended holds all that was sent to it.
    const ended = new Set(turns.flatMap((turn) => (isOpen(turn) ? [] : [turn.id])));
    return notShown(sent, { said, queued }).filter(({ turn }) => !ended.has(turn));
  }, [sent, said, queued, turns]);
  /** True once an agent has it. */
  const send = async (typed: Message): Promise<boolean> => {
    const { message, interrupt, files } = typed;
    if (!isSame(attempt.current, typed)) attempt.current = { ...typed, key: crypto.randomUUID() };
    setSending(true);
    setError(undefined);
    try {
      const options = { idempotencyKey: attempt.current?.key, attachments: files };
      const turn = await api().beginTurn(agent, { message, conversation, interrupt }, options);
      attempt.current = undefined;
      if ("approval" in turn) throw new Error("A person has to allow this message first. Answer it under Approvals.");
      const isQueued = turns.some(({ id }) => id === turn.id);
      const place = countHeld(turn.id, { said, queued }) + pending.filter((each) => each.turn === turn.id).length;
      const text = [message, ...files.map(({ name }) => name)].join("\n");
      setSent([...pending, { text, turn: turn.id, place, isQueued }]);
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
