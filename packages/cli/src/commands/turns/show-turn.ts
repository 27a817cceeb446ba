import { setTimeout as sleep } from "node:timers/promises";
import type { Engine, Scope } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine";
import { visibleText } from "@toolwright/engine/ports";
import { oneLine } from "@toolwright/server/text";
import type { Io } from "../../io.ts";

/** The chunks of the UI message stream that a terminal shows. */
interface ShownChunk {
  readonly type: string;
  readonly delta?: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly input?: unknown;
  readonly output?: { readonly status?: string };
  readonly data?: { readonly message?: string };
}

export interface TurnView {
  /** Resolves when nothing more comes. */
  readonly ended: Promise<void>;
  stop(): void;
}

interface Watching {
  readonly engine: Engine;
  readonly scope: Scope;
  /** Ends the view. */
  readonly signal: AbortSignal;
}

const lookMs = 50;
const longestInput = 200;

/** Shows a turn as it happens: what the agent says on stdout, its calls on stderr. */
export function showTurn(io: Pick<Io, "out" | "err">, id: string, at: Watching): TurnView {
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, at.signal]);
  const show = new ChunkPrinter(io);
  const follow = async () => {
    const { engine, scope } = at;
    while (!signal.aborted) {
      try {
        for await (const part of await engine.follow(scope.principal, "turns.watch", { id }, { signal }))
          for (const chunk of (part as { readonly chunks: readonly ShownChunk[] }).chunks) show.print(chunk);
        return;
      } catch (error) {
        // The call begins before its turn does.
        if (!ToolwrightError.is(error) || error.code !== "turn_not_found") throw error;
        await sleep(lookMs);
      }
    }
  };
  return { ended: follow().finally(() => show.end()), stop: () => stopping.abort() };
}

export class ChunkPrinter {
  readonly #io: Pick<Io, "out" | "err">;
  readonly #names = new Map<string, string>();
  #isInText = false;
  /** Text of the step so far; it begins anew where the step is sent again. */
  #said = "";
  /** What stands there of it. */
  #printed = "";

  constructor(io: Pick<Io, "out" | "err">) {
    this.#io = io;
  }

  print({ type, delta = "", toolName = "", toolCallId = "", input, output, data }: ShownChunk): void {
    if (type === "text-delta") this.#say(delta);
    else if (type === "text-end") this.end();
    else if (type === "data-model-wait") this.#tell(data?.message ?? "The model is asked again.");
    else if (type === "reset-step") this.#said = "";
    else if (type === "finish-step") {
      this.#said = "";
      this.#printed = "";
    } else if (type === "tool-input-available") {
      if (this.#names.has(toolCallId)) return;
      this.#names.set(toolCallId, toolName);
      this.#tell(`${toolName} ${JSON.stringify(input)}`);
    } else if (type === "tool-output-available" && output?.status !== "running")
      this.#tell(`${this.#names.get(toolCallId) ?? "The call"}: ${output?.status ?? "ended"}`);
  }

  end(): void {
    if (this.#isInText) this.#io.out("\n");
    this.#isInText = false;
  }

  #say(delta: string): void {
    this.#said += delta;
    if (this.#printed.startsWith(this.#said)) return;
    const goesOn = this.#said.startsWith(this.#printed);
    if (!goesOn) this.end();
    this.#isInText = true;
    this.#io.out(visibleText(goesOn ? this.#said.slice(this.#printed.length) : this.#said));
    this.#printed = this.#said;
  }

  #tell(words: string): void {
    this.end();
    const line = oneLine(words);
    this.#io.err(`· ${line.length > longestInput ? `${line.slice(0, longestInput)}…` : line}\n`);
  }
}
