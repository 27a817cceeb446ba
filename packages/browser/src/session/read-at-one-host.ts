import { ToolwrightError } from "@toolwright/engine";
import type { Frame, Page } from "playwright-core";
import { hostOf } from "./shown-page.ts";

const mostMoves = 3;

/** The part of a page that tells where it is. */
export type Located = Pick<Page, "url" | "mainFrame"> & {
  on(event: "framenavigated", listener: (frame: Frame) => void): unknown;
  off(event: "framenavigated", listener: (frame: Frame) => void): unknown;
};

/**
 * Reads a page and names its host. Where the page is at another host meanwhile, even for a moment, it is read again.
 * Rejects with `browser_refused` for one that goes on and on.
 */
export async function readAtOneHost<Read>(page: Located, read: () => Promise<Read>): Promise<Read> {
  for (let moves = 0; moves <= mostMoves; moves += 1) {
    const hosts = new Set([hostOf(page.url())]);
    const moved = (frame: Frame) => frame === page.mainFrame() && hosts.add(hostOf(page.url()));
    page.on("framenavigated", moved);
    try {
      const found = await read();
      if (hosts.size === 1) return found;
    } finally {
      page.off("framenavigated", moved);
    }
  }
  throw new ToolwrightError(
    "browser_refused",
    "The page goes on to other hosts while it is read. Wait with browser_wait, or open another page.",
  );
}
