import { readKept, writeKept } from "../parts/kept.ts";
import { readServerFacts } from "./use-server-facts.ts";

const mark = "toolwright.reloaded-at";
const onceInMs = 30_000;
/** Milliseconds before a server that does not answer is asked again. */
const againMs = 2_000;

/** After a deployment an open page asks for files that are gone: one reload fetches the new ones, and drafts survive it. */
export function reloadOnceForMissingChunks(): void {
  let isWaiting = false;
  addEventListener("vite:preloadError", () => {
    if (isWaiting || Date.now() - Number(readKept("session", mark) ?? 0) < onceInMs) return;
    isWaiting = true;
    void reloadWhenServed();
  });
}

/** A server that is gone for a moment would leave nothing but the browser's own page behind. */
async function reloadWhenServed(): Promise<void> {
  for (;;) {
    try {
      await readServerFacts();
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
  // Where this is not kept, the page would be loaded again without an end.
  if (writeKept("session", mark, String(Date.now()))) location.reload();
}
