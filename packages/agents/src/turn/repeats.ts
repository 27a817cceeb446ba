import { digest } from "@toolwright/engine/ports";
import type { ModelMessage } from "ai";
import { toJson } from "./stored-response.ts";

/** Counts calls that are made again with the same result, over the messages of a conversation. Each message of a person begins anew. */
export class Repeats {
  #counts = new Map<string, number>();
  #inputs = new Map<string, unknown>();
  #last: readonly string[] = [];

  /** How often the most repeated call of the last step was made. */
  get most(): number {
    return Math.max(0, ...this.#last.map((call) => this.#counts.get(call) ?? 0));
  }

  read(messages: readonly ModelMessage[]): void {
    for (const message of messages) this.#read(message);
  }

  #read({ role, content }: ModelMessage): void {
    if (role === "user") {
      this.#counts = new Map();
      this.#last = [];
    } else if (role === "assistant" && typeof content !== "string")
      this.#inputs = new Map(content.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part.input] as const] : [])));
    else if (role === "tool") {
      this.#last = content.flatMap((part) =>
        part.type === "tool-result" ? [digest(toJson([part.toolName, this.#inputs.get(part.toolCallId), part.output]))] : [],
      );
      for (const call of this.#last) this.#counts.set(call, (this.#counts.get(call) ?? 0) + 1);
    }
  }
}
