import { Refusal } from "../refusal.ts";

/**
 * Refuses a page that is not the console of these sources. Where nothing is built, a server shows a page of its own, which is faster than any
 * console; it also builds in the background, beside what is measured.
 */
export function requireConsole(page: string, sources: string): void {
  const build = /<meta name="toolwright-build" content="([^"<>]*)">/.exec(page)?.[1];
  if (build === sources) return;
  const shown = build === undefined ? "a page that is not the console" : "a console that was built from other sources";
  throw new Refusal(`The server shows ${shown}, so nothing was measured. Run node web/build.ts, then measure again.`);
}
