import type { Item } from "../../api/queries.ts";

/** A message of a person. */
export interface Said {
  readonly sequence: number;
  readonly text: string;
  /** How many answers of the model the turn had when it was taken up. */
  readonly after: number;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** What people said, by turn. */
export function saidByTurn(messages: readonly Item<"messages.list">[]): ReadonlyMap<string, readonly Said[]> {
  const said = new Map<string, Said[]>();
  const answers = new Map<string, number>();
  for (const { turn, sequence, message } of messages) {
    const { role, content } = message as unknown as Message;
    const after = answers.get(turn) ?? 0;
    if (role === "assistant") answers.set(turn, after + 1);
    if (role === "user") said.set(turn, [...(said.get(turn) ?? []), { sequence, text: textOf(content), after }]);
  }
  return said;
}

const textOf = (content: Message["content"]): string =>
  typeof content === "string" ? content : content.map(({ text, type }) => text ?? `[${type}]`).join("\n");

/** A message that was sent from this page, until the conversation shows it. */
export interface Sent {
  readonly text: string;
  /** The turn that has it. */
  readonly turn: string;
  /** Its place among what people said in that turn. */
  readonly place: number;
  /** The turn ran already. */
  readonly isQueued: boolean;
}

/** Those that the conversation does not show yet. */
export function notShown(sent: readonly Sent[], said: ReadonlyMap<string, readonly Said[]>): readonly Sent[] {
  return sent.filter(({ turn, place }) => (said.get(turn)?.length ?? 0) <= place);
}
