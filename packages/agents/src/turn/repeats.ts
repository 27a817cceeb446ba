import { canonicalJson } from "@toolwright/engine/ports";
import type { ModelMessage } from "ai";
import { toJson } from "./stored-response.ts";

/** What came of a call, and how often. */
interface Outcome {
  readonly output: unknown;
  times: number;
}

/** Counts calls that are made again with the same result, over the messages of a conversation. Each message of a person begins anew. */
export class Repeats {
  /** By the call. Most are made once, and their results are compared with nothing. */
  #outcomes = new Map<string, Outcome[]>();
  #inputs = new Map<string, unknown>();
  #last: readonly Outcome[] = [];

  /** How often the most repeated call of the last step was made. */
  get most(): number {
    return Math.max(0, ...this.#last.map(({ times }) => times));
  }

  read(messages: readonly ModelMessage[]): void {
    for (const message of messages) this.#read(message);
  }

  #read({ role, content }: ModelMessage): void {
    if (role === "user") {
      this.#outcomes = new Map();
      this.#last = [];
    } else if (role === "assistant" && typeof content !== "string")
      this.#inputs = new Map(content.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part.input] as const] : [])));
    else if (role === "tool") {
      this.#last = content.flatMap((part) =>
        part.type === "tool-result" ? [this.#count(textOf([part.toolName, this.#inputs.get(part.toolCallId)]), part.output)] : [],
      );
    }
  }

  #count(call: string, output: unknown): Outcome {
    const known = this.#outcomes.get(call) ?? [];
    const same = known.length > 0 && known.find((each) => textOf(each.output) === textOf(output));
    const outcome = same || { output, times: 0 };
    if (!same) this.#outcomes.set(call, [...known, outcome]);
    outcome.times += 1;
    return outcome;
  }
}

const textOf = (value: unknown) => canonicalJson(toJson(value));
