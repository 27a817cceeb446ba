import type { Capability, CapabilityProvider } from "@toolwright/engine";
import { type Clock, sha256, sharerOf } from "@toolwright/engine/ports";
import { type CodeRequest, type ProgramEnding, ProgramThreads } from "./program-threads.ts";

/** `ctx.code`. */
export interface CodeRunner {
  /**
   * Runs a JavaScript program in a thread of its own and gives how it ended. With the same program, call, names, clock and answers it does the same
   * each time: answers reach it in the order of its calls, whichever comes first. Waits for a place where many programs run; rejects with `busy`.
   */
  run(request: CodeRequest): Promise<ProgramEnding>;
}

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    code: Capability<"run", CodeRunner>;
  }
}

/** Runs programs that reach nothing but the calls that they make. Threads are started when they are needed, and end when nobody needs them. */
export function codeCapability({ clock }: { readonly clock: Clock }): CapabilityProvider<"code"> {
  const threads = new ProgramThreads(clock);
  return {
    name: "code",
    weigh: () => ({ changes: false, openWorld: false }),
    open: (_effect, { callId, principal, signal }) => ({
      run: (request) => threads.run({ ...request, sharer: sharerOf(principal), seed: seedOf(callId), signal }),
    }),
    close: () => threads.close(),
  };
}

/** A handler that runs again has the same call, and so the same numbers. */
function seedOf(callId: string): readonly number[] {
  const hash = sha256(callId);
  return [0, 8, 16, 24].map((at) => Number.parseInt(hash.slice(at, at + 8), 16));
}
