import { readKept, writeKept } from "../parts/kept.ts";

const mark = "toolwright.reloaded-at";
const onceInMs = 30_000;

/** After a deployment an open page asks for files that are gone: one reload fetches the new ones, and drafts survive it. */
export function reloadOnceForMissingChunks(): void {
  addEventListener("vite:preloadError", (event) => {
    if (Date.now() - Number(readKept("session", mark) ?? 0) < onceInMs) return;
    event.preventDefault();
    writeKept("session", mark, String(Date.now()));
    location.reload();
  });
}
