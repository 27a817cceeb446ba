import type { Json } from "../form/json-schema.ts";

interface HandedOver {
  readonly tool: string;
  readonly input: Json;
}

let waiting: HandedOver | undefined;

/** A press on this page asks the next one to run a tool. No address can ask for that: anybody may have written it. */
export function handOver(call: HandedOver): void {
  waiting = call;
}

/** The input to run, once. */
export function takeOver(tool: string): Json | undefined {
  const taken = waiting;
  waiting = undefined;
  return taken?.tool === tool ? taken.input : undefined;
}
