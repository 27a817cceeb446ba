import type { Answer, Item } from "../../api/queries.ts";

/** An attachment, kept as an artifact. */
export interface SaidFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

interface Words {
  readonly text: string;
  readonly files: readonly SaidFile[];
}

/** A message of a person. */
export interface Said extends Words {
  readonly sequence: number;
  /** How many answers of the model the turn had when it was taken up. */
  readonly after: number;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

interface Part {
  readonly type: string;
  readonly text?: string;
  /** Of a file: where it is kept. */
  readonly data?: unknown;
  readonly filename?: string;
  readonly mediaType?: string;
  readonly providerOptions?: { readonly toolwright?: { readonly size?: number } };
}

/** What people said, by turn. */
export function saidByTurn(messages: readonly Item<"messages.list">[]): ReadonlyMap<string, readonly Said[]> {
  const said = new Map<string, Said[]>();
  const answers = new Map<string, number>();
  for (const { turn, sequence, message } of messages) {
    const { role, content } = message as unknown as Message;
    const after = answers.get(turn) ?? 0;
    if (role === "assistant") answers.set(turn, after + 1);
    if (role === "user") said.set(turn, [...(said.get(turn) ?? []), { sequence, after, ...wordsIn(content) }]);
  }
  return said;
}

function wordsIn(content: Message["content"]): Words {
  if (typeof content === "string") return { text: content, files: [] };
  const files = content.flatMap(fileIn);
  const others = content.filter((part) => fileIn(part).length === 0);
  return { text: others.map(({ text, type }) => text ?? `[${type}]`).join("\n"), files };
}

function fileIn({ data, filename, mediaType = "", providerOptions }: Part): SaidFile[] {
  const [, id] = /^artifact:(.+)$/.exec(String(data)) ?? [];
  return id === undefined ? [] : [{ id, name: filename ?? id, mediaType, size: providerOptions?.toolwright?.size ?? 0 }];
}

/** A message that no request to the model holds yet. */
export interface Queued extends Words {
  readonly id: string;
  /** The turn that takes it up. */
  readonly turn: string;
}

export function toQueued(queued: Answer<"messages.list">["queued"]): readonly Queued[] {
  return queued.map(({ id, turn, message }) => ({ id, turn, ...wordsIn((message as unknown as Message).content) }));
}

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

/** What a conversation holds of people. */
export interface Held {
  readonly said: ReadonlyMap<string, readonly Said[]>;
  readonly queued: readonly Queued[];
}

/** How many messages of people a turn has, with those that wait. */
export function countHeld(turn: string, { said, queued }: Held): number {
  return (said.get(turn)?.length ?? 0) + queued.filter((each) => each.turn === turn).length;
}

/** Those that the conversation does not show yet. */
export function notShown(sent: readonly Sent[], held: Held): readonly Sent[] {
  return sent.filter(({ turn, place }) => countHeld(turn, held) <= place);
}
