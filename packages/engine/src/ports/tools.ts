import type { ApprovalNotice, CallResult } from "../contract/call.ts";
import type { JsonObject } from "../contract/json.ts";
import type { ChildOptions } from "../contract/principal.ts";
import type { Wait } from "./call-tree.ts";

/** What a call inside a call may say beside its input. */
export interface PartOptions {
  /**
   * Names the call among those of this handler, up to 100 characters. After a restart the handler runs again from the start, and a step that has
   * ended is answered as it ended. Default: the tool's name, with a number from the second call on; name steps that may come in another order.
   */
  readonly step?: string;
  /** Hears that the call waits for a person, before the handler is suspended. */
  readonly onPending?: (approval: ApprovalNotice) => void;
}

/** A tool as it has to be known to be called; the schemas are JSON Schema. */
export interface ToolShape {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: JsonObject;
  readonly output: JsonObject;
}

/** Calls other tools through the gate, as the same caller, narrowed to the tools that the effect names. */
export interface Tools {
  /**
   * Resolves to how the call ended. When it waits for a person, it rejects with `call_suspended`: let that pass. The handler runs again once the
   * person has answered, and what has ended by then is answered from the record. Rejects with `call_void` where the call cannot go on.
   */
  call(name: string, input: unknown, options?: PartOptions): Promise<CallResult>;
  /** Names of the tools that this caller may use and the effect names, but those that this call is made inside of. */
  names(): readonly string[];
  /** Those of them that fit the words, best first; without words the first by name. */
  find(words: string, limit: number): readonly ToolShape[];
  /** The tools of a sub-agent, which never may more than this caller, within its bounds. Throws `effect_refused` below eight levels. */
  scope(options: ChildOptions): Tools;
  /**
   * Suspends this call until what it names is answered, for tools that keep a record of their own: rejects with `call_suspended` until then, and
   * resolves when the handler runs again. At least one of the waits is an approval.
   */
  suspend(waits: readonly Wait[]): Promise<void>;
}
