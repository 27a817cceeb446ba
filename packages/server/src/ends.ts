import { ToolwrightError } from "@toolwright/engine/errors";

/** How to end what was opened. */
export class Ends {
  readonly #ends: (() => unknown)[] = [];
  #closing: Promise<void> | undefined;

  /** What is opened while everything ends is ended too. */
  add(end: () => unknown): void {
    if (this.#closing) this.#closing = this.#closing.finally(end);
    else this.#ends.push(end);
  }

  /** Throws once everything ends. */
  refuseClosed(): void {
    if (this.#closing) throw new ToolwrightError("server_unavailable", "This Toolwright is closed. Create another one.");
  }

  /** Ends everything once, the last first. A failure keeps none of the others from its end; the first is thrown when all are through. */
  close(): Promise<void> {
    this.#closing ??= this.#endAll();
    return this.#closing;
  }

  async #endAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const end of this.#ends.reverse()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
