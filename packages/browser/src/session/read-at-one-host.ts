import { ToolwrightError } from "@toolwright/engine";
import type { Page } from "playwright-core";
import { hostOf } from "./shown-page.ts";

const mostMoves = 3;

/**
 * What is read of a page is told as its host's: where the page leaves for another host meanwhile, it is read again.
 * Rejects with `browser_refused` for one that goes on and on.
 */
export async function readAtOneHost<Read>(page: Pick<Page, "url">, read: () => Promise<Read>): Promise<Read> {
  for (let moves = 0; moves <= mostMoves; moves += 1) {
    const host = hostOf(page.url());
    const found = await read();
    if (hostOf(page.url()) === host) return found;
  }
  throw new ToolwrightError(
    "browser_refused",
    "The page goes on to other hosts while it is read. Wait with browser_wait, or open another page.",
  );
}
