import type { CallResult, InvokeOptions } from "@toolwright/engine";

/** A call as its request wants it made. */
export type MakeCall = (options: InvokeOptions) => Promise<CallResult>;
