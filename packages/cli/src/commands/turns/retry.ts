import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { Talk, talkHere } from "./chat.ts";

const retried: ReadonlySet<string> = new Set(["failed", "cancelled"]);

interface Message {
  readonly content?: string | readonly { readonly text?: string; readonly data?: string }[];
}

/** Sends the message of a turn again, as the next one of its conversation. */
export function retry(io: Io, options: TenantOptions, [id = ""]: readonly string[]): Promise<number> {
  return talkHere(io, options, async (person) => {
    const turn = await person.operate("turns.get", { id, said: true });
    const { state, agent, conversation, messages = [] } = turn;
    if (!retried.has(state))
      throw new CliError(`Turn ${id} is ${state}. Only the message of one that failed or was cancelled is sent again.`);
    const { content = [] } = (messages[0]?.message ?? {}) as unknown as Message;
    const parts = typeof content === "string" ? [{ text: content }] : content;
    if (parts.length === 0) throw new CliError(`The message of turn ${id} is not there any more.`);
    const kept = parts.flatMap(({ data = "" }) => /^artifact:(.+)$/.exec(data)?.[1] ?? []);
    const text = parts.flatMap((part) => part.text ?? []).join("\n");
    return new Talk(io, person, { agent, options: { ...options, conversation }, kept }).say(text);
  });
}
