import type { Call } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { noteEvent } from "../record-events.ts";

/** Characters of a call's streamed output that the log holds. */
const loggedOutput = 65_536;

/** Hands streamed output to whoever follows the call and, up to a bound, to the log; redacted, and saying what it leaves out. */
export class OutputFollower {
  readonly #call: Call;
  readonly #parts: GateParts;
  #streams: Map<string, ReturnType<Call["redactor"]["stream"]>> | undefined;
  #logged = 0;
  #unlogged = 0;

  constructor(call: Call, parts: GateParts) {
    this.#call = call;
    this.#parts = parts;
  }

  append(stream: string, chunk: string): void {
    this.#streams ??= new Map();
    let redacting = this.#streams.get(stream);
    if (!redacting) {
      redacting = this.#call.redactor.stream();
      this.#streams.set(stream, redacting);
    }
    this.#emit(stream, redacting.push(chunk));
  }

  finish(): void {
    if (!this.#streams) return;
    for (const [stream, redacting] of this.#streams) this.#emit(stream, redacting.flush());
    if (this.#unlogged > 0) noteEvent(this.#call, "tool.output_appended", { omittedCharacters: this.#unlogged }, this.#parts);
  }

  #emit(stream: string, text: string): void {
    if (text === "") return;
    this.#call.hasStreamed = true;
    this.#call.options.onOutput?.(text);
    const room = Math.max(0, loggedOutput - this.#logged);
    const logged = text.slice(0, room);
    this.#logged += logged.length;
    this.#unlogged += text.length - logged.length;
    if (logged !== "") noteEvent(this.#call, "tool.output_appended", { stream, text: logged }, this.#parts);
  }
}
