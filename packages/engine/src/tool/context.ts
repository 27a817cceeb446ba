import type { ArtifactRef } from "../contract/call.ts";
import type { MediaBlock } from "../contract/content.ts";
import type { Patience } from "../contract/patience.ts";
import type { UsageReport } from "../contract/usage.ts";
import type { CapabilityName, HandleOf } from "../ports/capability.ts";
import type { Sharer } from "../ports/fair-pool.ts";
import type { Effects } from "./effects.ts";

/** A file that came with the request. */
export interface Attachment {
  readonly name: string;
  readonly mediaType: string;
  bytes(): Promise<Uint8Array>;
}

/** What every tool has, with or without effects. */
export interface BaseContext {
  readonly callId: string;
  /**
   * When the call began, or the first of those that it is made inside of, in milliseconds since the epoch: a handler that runs again after it was
   * suspended is given the same.
   */
  readonly begunAt: number;
  readonly tool: string;
  readonly tenant: string;
  readonly actor: string;
  readonly agent: string | undefined;
  /** For whom the call takes a place of a pool that people share. */
  readonly sharer: Sharer;
  readonly session: string;
  /** Name of the folder that the declared effects reach in this call, never its path; undefined for a tool whose effects reach none. */
  readonly workspace: string | undefined;
  /** Aborts at timeout, cancellation and the end of the call. */
  readonly signal: AbortSignal;
  readonly attachments: readonly Attachment[];
  /** Undefined when the caller waits for as long as it takes. What takes longer is better handed over, with a way to follow it. */
  readonly patience: Patience | undefined;
  /** Restarts the idle limit and tells whoever follows the call. `total` may be undefined when it is not known. */
  progress(done: number, total?: number, message?: string): void;
  /** Output as it comes, for people who watch; it is redacted and logged. */
  readonly output: { append(chunk: string): void };
  log(level: "debug" | "info" | "warn" | "error", message: string): void;
  /** Tells the caller something beside the answer, in one sentence; it stands among the result's `notes`, which no client drops. */
  note(sentence: string): void;
  /** Shows an image or a sound beside the output. Together at most 8 MB of base64; more throws `invalid_output`. */
  show(block: MediaBlock): void;
  /**
   * Counts what the tool used of models and other paid services, as often as it likes; the sum is in the result and in the event that ends the
   * call, however it ends. Throws for what is no count. A tool that calls another does not count for that one.
   */
  readonly usage: { add(report: UsageReport): void };
  readonly artifacts: {
    save(file: { readonly name: string; readonly mediaType: string; readonly content: string | Uint8Array }): Promise<ArtifactRef>;
    /** An artifact of this tenant, or a part of it in bytes, and the session that keeps it. Rejects with `artifact_not_found`. */
    read(
      id: string,
      range?: { readonly offset?: number; readonly length?: number },
    ): Promise<{ readonly ref: ArtifactRef; readonly session: string; readonly bytes: Uint8Array }>;
  };
}

/**
 * The base and exactly the handles of the declared effects.
 *
 * @example examples/model-usage/summarize.tool.ts
 * ```ts
 * import { defineTool } from "@toolwright/engine";
 * import { z } from "zod";
 * import { complete } from "./model.ts";
 *
 * export default defineTool({
 *   name: "summarize",
 *   description: "Sum up a text in one sentence. It asks a model, which costs money: read short texts yourself.",
 *   input: z.object({ text: z.string().describe("The text to sum up") }),
 *   output: z.object({ summary: z.string() }),
 *   effects: {},
 *   async run({ text }, { usage, signal }) {
 *     const { answer, inputTokens, outputTokens } = await complete(`Sum up in one sentence:\n${text}`, { signal });
 *     usage.add({ model: "small-1", inputTokens, outputTokens, cost: (inputTokens * 0.4 + outputTokens * 1.6) / 1_000_000 });
 *     return { summary: answer };
 *   },
 * });
 * ```
 */
export type ToolContext<Declared extends Effects = Effects> = BaseContext & {
  readonly [Name in keyof Declared & CapabilityName]: HandleOf<Name, Exclude<Declared[Name], undefined>>;
};
