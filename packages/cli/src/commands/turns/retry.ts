import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { Talk, talkHere } from "./chat.ts";
import { readMessages } from "./read-messages.ts";

const retried: ReadonlySet<string> = new Set(["failed", "cancelled"]);

/** Sends the message of a turn again, as the next one of its conversation. */
export function retry(io: Io, options: TenantOptions, [id = ""]: readonly string[]): Promise<number> {
  return talkHere(io, options, async (person) => {
    const turn = await person.operate("turns.get", { id });
    const { state, agent, conversation } = turn;
    if (!retried.has(state))
      throw new CliError(`Turn ${id} is ${state}. Only the message of one that failed or was cancelled is sent again.`);
    const [asked] = await readMessages(person.operate, turn);
    const { content } = (asked?.message ?? {}) as { readonly content?: unknown };
    if (typeof content !== "string") throw new CliError(`The message of turn ${id} is not there any more.`);
    return new Talk(io, person, { agent, options: { ...options, conversation } }).say(content);
  });
}
