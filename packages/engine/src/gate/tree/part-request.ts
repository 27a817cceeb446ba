import type { CallPlace } from "../../contract/call-place.ts";
import type { Principal } from "../../contract/principal.ts";
import type { StepRecord } from "../../ports/call-tree.ts";
import type { InvokeOptions } from "../invoke-options.ts";
import type { TreeOfCall } from "./tree-of-call.ts";

/** A call that a handler makes. */
export interface PartRequest {
  readonly id: string;
  readonly principal: Principal;
  readonly session: string;
  readonly name: string;
  readonly input: unknown;
  readonly options: InvokeOptions;
  readonly place: CallPlace;
  readonly tree: TreeOfCall;
  /** Names and `group:` handles that the parent's effect names. */
  readonly handles: readonly string[];
  /** The step as an earlier run left it, without an ending. */
  readonly known: StepRecord | undefined;
  /** What the step was before, where it was another call. */
  readonly other: StepRecord | undefined;
}
