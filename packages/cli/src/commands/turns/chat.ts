import { readFile } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { turnIdOf } from "@toolwright/agents";
import type { Attachment, CallResult } from "@toolwright/engine";
import { type CutReason, describeCut } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { exitCodeOf } from "../../exit-code-of.ts";
import type { Io } from "../../io.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { ensureWorkspace } from "../../settings.ts";
import { callAndAsk, callsHere } from "../calls/call-and-ask.ts";
import { asPerson, type Person } from "../context/as-person.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { showTurn, type TurnView } from "./show-turn.ts";

interface ChatOptions extends TenantOptions {
  readonly conversation?: string;
  readonly interrupt?: boolean;
  readonly attach?: readonly string[];
}

/** A person at this machine, where turns run in the command. */
export type Here = Person & { readonly here: NonNullable<Person["here"]> };

export async function chat(io: Io, options: ChatOptions, [agent = "assistant", ...words]: readonly string[]): Promise<number> {
  const message = words.join(" ");
  if (message === "" && !io.isInteractive)
    throw new CliError(
      "There is no message, and nobody at a terminal to type one. Write it after the agent: toolwright chat assistant 'Hello'.",
    );
  // Before anything is sent.
  const attachments = await Promise.all((options.attach ?? []).map((path) => readAttachment(io, path)));
  return talkHere(io, options, (person) => {
    const talk = new Talk(io, person, { agent, options, attachments });
    return message === "" ? talk.listen() : talk.say(message);
  });
}

/** For people: what a model takes goes by the bytes. */
const mediaTypes: Readonly<Record<string, string>> = {
  ...{ ".csv": "text/csv", ".html": "text/html", ".json": "application/json", ".md": "text/markdown", ".txt": "text/plain" },
  ...{
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".webp": "image/webp",
  },
};

/** A file of this machine that goes with a message. Rejects for one that cannot be read. */
async function readAttachment({ cwd }: Pick<Io, "cwd">, path: string): Promise<Attachment> {
  const bytes = await readFile(resolve(cwd, path)).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`--attach ${JSON.stringify(path)} cannot be read, so nothing was sent: ${why}.`, { cause });
  });
  const mediaType = mediaTypes[extname(path).toLowerCase()] ?? "application/octet-stream";
  return { name: basename(path), mediaType, bytes: () => Promise.resolve(bytes) };
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

interface TalkOptions {
  readonly agent: string;
  readonly options: ChatOptions;
  /** Go with the first message. */
  readonly attachments?: readonly Attachment[];
  /** Ids of artifacts that go with it. */
  readonly kept?: readonly string[];
}

export class Talk {
  readonly #io: Io;
  readonly #person: Here;
  readonly #agent: string;
  readonly #options: ChatOptions;
  #conversation: string | undefined;
  #attachments: readonly Attachment[];
  #kept: readonly string[];

  constructor(io: Io, person: Here, { agent, options, attachments = [], kept = [] }: TalkOptions) {
    this.#io = io;
    this.#person = person;
    this.#agent = agent;
    this.#options = options;
    this.#conversation = options.conversation;
    this.#attachments = attachments;
    this.#kept = kept;
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
    const { json = false, interrupt } = this.#options;
    let view: TurnView | undefined;
    const follow = {
      ...followCall(this.#io, { json }),
      attachments: this.#attachments,
      onStart: (callId: string) => {
        if (!json)
          view ??= showTurn(this.#io, turnIdOf(callId), { engine: here.toolwright.engine, scope: here.scope, signal: this.#io.signal });
      },
    };
    const input = {
      ...{ agent: this.#agent, message },
      ...(this.#conversation !== undefined && { conversation: this.#conversation }),
      ...(this.#kept.length > 0 && { attachments: this.#kept }),
      ...(interrupt && { interrupt }),
    };
    const { tenant } = here.scope.principal;
    const place = { calls: callsHere(here.scope, "agent_run", input), operate, tenant };
    const result = await callAndAsk(this.#io, place, { canAsk: this.#io.isInteractive, follow });
    const { conversation, state } = outputOf(result);
    // The turn that takes a queued message up is another one's, and is shown where that runs.
    const isShown = view !== undefined && state !== "queued";
    if (result.status === "done" && isShown) await view?.ended;
    view?.stop();
    await view?.ended.catch(() => undefined);
    this.#conversation = conversation ?? this.#conversation;
    this.#attachments = [];
    this.#kept = [];
    this.#tell(result, isShown);
    return exitCodeOf(result);
  }

  /** What was shown as it came is not shown again. */
  #tell(result: CallResult, isShown: boolean): void {
    if (result.status !== "done" || !isShown) printResult(this.#io, result, this.#options);
    const { finishReason } = outputOf(result);
    if (finishReason && isShown) this.#io.err(`${describeCut(finishReason)}\n`);
    const isFirst = this.#options.conversation === undefined && this.#conversation !== undefined;
    if (isFirst && !this.#options.json && !this.#io.isInteractive) this.#io.err(`Conversation ${this.#conversation}\n`);
  }
}

interface RunOutput {
  readonly conversation?: string;
  readonly state?: string;
  readonly finishReason?: CutReason | null;
}

/** What `agent_run` gave, where it ended. */
const outputOf = (result: CallResult): RunOutput => (result.status === "done" ? (result.output as unknown as RunOutput) : {});
