import type { Socket } from "node:net";
import type { Dial, DialTarget } from "./dial.ts";

/** Tries the checked addresses in their order; rejects with the last failure. */
export async function dialFirst(
  dial: Dial,
  addresses: readonly string[],
  { signal, ...target }: Omit<DialTarget, "address"> & { readonly signal: AbortSignal },
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    signal.throwIfAborted();
    try {
      return await dial({ ...target, address });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
