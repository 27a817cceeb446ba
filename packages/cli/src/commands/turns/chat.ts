import { turnIdOf } from "@toolwright/agents";
import type { CallResult } from "@toolwright/engine";
import { CliError } from "../../cli-error.ts";
import { exitCodeOf, exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { ensureWorkspace } from "../../settings.ts";
import { callAndAsk } from "../calls/call-and-ask.ts";
import { asPerson, type Person } from "../context/as-person.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { showTurn, type TurnView } from "./show-turn.ts";

interface ChatOptions extends TenantOptions {
  readonly conversation?: string;
}

/** A person at this machine, where turns run in the command. */
export type Here = Person & { readonly here: NonNullable<Person["here"]> };

export function chat(io: Io, options: ChatOptions, [agent = "assistant", ...words]: readonly string[]): Promise<number> {
  const message = words.join(" ");
  if (message === "" && !io.isInteractive)
    throw new CliError(
      "There is no message, and nobody at a terminal to type one. Write it after the agent: toolwright chat assistant 'Hello'.",
    );
  return talkHere(io, options, (person) => {
    const talk = new Talk(io, person, { agent, options });
    return message === "" ? talk.listen() : talk.say(message);
  });
}

/** With all that turns on this machine need. */
export function talkHere(io: Io, options: TenantOptions, use: (person: Here) => Promise<number>): Promise<number> {
  return asPerson(io, options, async (person) => {
    const { here } = person;
    if (!here) throw new CliError("Turns begin on this machine alone.");
    await here.toolwright.lookAtMachine();
    await ensureWorkspace(here.toolwright.settings, io);
    return use({ ...person, here });
  });
}

export class Talk {
  readonly #io: Io;
  readonly #person: Here;
  readonly #agent: string;
  readonly #options: ChatOptions;
  #conversation: string | undefined;

  constructor(io: Io, person: Here, { agent, options }: { readonly agent: string; readonly options: ChatOptions }) {
    this.#io = io;
    this.#person = person;
    this.#agent = agent;
    this.#options = options;
    this.#conversation = options.conversation;
  }

  /** Until somebody ends it. */
  async listen(): Promise<number> {
    for (;;) {
      const line = await this.#io.ask(`${this.#agent}> `);
      if (line === undefined || line.trim() === "") return exitCodes.done;
      await this.say(line);
    }
  }

  async say(message: string): Promise<number> {
    const { here, operate } = this.#person;
    const { json = false } = this.#options;
    let view: TurnView | undefined;
    const follow = {
      ...followCall(this.#io, { json }),
      onStart: (callId: string) => {
        if (!json) view ??= showTurn(this.#io, turnIdOf(callId), { engine: here.toolwright.engine, scope: here.scope });
      },
    };
    const input = { agent: this.#agent, message, ...(this.#conversation !== undefined && { conversation: this.#conversation }) };
    const wanted = { name: "agent_run", input, canAsk: this.#io.isInteractive, follow };
    const result = await callAndAsk(this.#io, { scope: here.scope, operate }, wanted);
    if (result.status === "done") await view?.ended;
    view?.stop();
    await view?.ended.catch(() => undefined);
    this.#conversation = conversationOf(result) ?? this.#conversation;
    this.#tell(result, view !== undefined);
    return exitCodeOf(result);
  }

  /** What was shown as it came is not shown again. */
  #tell(result: CallResult, isShown: boolean): void {
    if (result.status !== "done" || !isShown) printResult(this.#io, result, this.#options);
    const isFirst = this.#options.conversation === undefined && this.#conversation !== undefined;
    if (isFirst && !this.#options.json && !this.#io.isInteractive) this.#io.err(`Conversation ${this.#conversation}\n`);
  }
}

function conversationOf(result: CallResult): string | undefined {
  const output = result.status === "done" ? result.output : undefined;
  return typeof output === "object" && output !== null && "conversation" in output && typeof output.conversation === "string"
    ? output.conversation
    : undefined;
}
