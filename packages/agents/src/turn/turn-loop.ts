import type { LanguageModelV4Middleware } from "@ai-sdk/provider";
import { ToolwrightError } from "@toolwright/engine";
import type { TurnEnding } from "@toolwright/engine/ports";
import type { ModelMessage } from "ai";
import type { OpenedModel } from "../models/model-source.ts";
import type { OfferedTools } from "./offer-tools.ts";
import type { TurnContext } from "./turn-context.ts";
import type { TurnRecorder } from "./turn-recorder.ts";

/** What a loop knows of its model, opened or not. */
export type LoopModel = Pick<OpenedModel, "id" | "target"> & Partial<OpenedModel>;

/** What one run of the loop works with, and what it came to. */
export interface Loop {
  readonly model: LoopModel;
  readonly recorder: TurnRecorder;
  /** Puts attachments into requests. */
  readonly attachments: LanguageModelV4Middleware;
  readonly offered: OfferedTools;
  readonly context: TurnContext;
  answer: { readonly messages: readonly ModelMessage[]; readonly text: string } | undefined;
}

/** What the model said in the step that is under way. */
export const textOf = ({ unfinished }: TurnRecorder) => unfinished.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** How a turn ends before its model did. */
export interface Closing extends Pick<TurnEnding, "state" | "text" | "error"> {
  /** For calls that did not end. */
  readonly words: string;
}

/** What the store says is not the model's. */
export function isOfStore(error: unknown): boolean {
  return ToolwrightError.is(error) && error.code.startsWith("store_");
}
