import type { Decision } from "../contract/decision.ts";
import type { Patience } from "../contract/patience.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import type { CallerTrace, TraceContext } from "../ports/telemetry.ts";
import type { Attachment } from "../tool/context.ts";

/** How far a running call is, in units of the tool's choice. `total` is undefined when the tool does not know it. */
export interface Progress {
  readonly done: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

/** Callbacks must not throw; what they are given is redacted. */
export interface InvokeOptions {
  /** Hears the id of the call when its tool begins to run: it is decided, and its log can be read under that id. */
  readonly onStart?: (callId: string) => void;
  readonly onProgress?: (progress: Progress) => void;
  readonly onOutput?: (text: string) => void;
  /** True for a caller that shows its person what `onOutput` gets: the view of the result leaves it out. */
  readonly showsOutput?: boolean;
  readonly onLog?: (level: "debug" | "info" | "warn" | "error", message: string) => void;
  readonly attachments?: readonly Attachment[];
  /** Capabilities that only this door has, for this call. */
  readonly capabilities?: readonly CapabilityProvider[];
  /**
   * A call that repeats one which waits for a person takes up that approval instead of asking again: for clients that can only call again.
   */
  readonly takeUpWaiting?: boolean;
  /**
   * Names this call among all of its caller, for 24 hours: another call with the same key, tool and input does not run but is answered as the
   * first one was (R-AU-4). 1 to 255 characters.
   */
  readonly idempotencyKey?: string;
  /** How long the caller waits for the answer. Default: for as long as it takes. */
  readonly patience?: Patience;
  /** What the trace of the call goes on from. */
  readonly trace?: CallerTrace | undefined;
  /** Hears where the trace of the call is, before anything of it happens, where somebody records it. */
  readonly onTrace?: (context: TraceContext) => void;
  readonly signal?: AbortSignal;
  /** The input with its sensitive members, as a job or schedule was given it: it takes the place of the input. */
  readonly sealedInput?: string;
}

/** A call that goes through the gate up to its run, and stops there. */
export interface Preparation {
  /** True for one that was prepared before: a key that nobody knows is then refused. */
  readonly again: boolean;
  /** By which the call would run now; undefined until the gate came that far. */
  decision?: Decision;
  /** Id of the approval that it would use up. */
  approval?: string;
}

export interface GateOptions extends InvokeOptions {
  readonly preparation?: Preparation;
}
