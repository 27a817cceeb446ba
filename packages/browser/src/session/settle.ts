import { type Clock, pause } from "@toolwright/engine/ports";
import type { Frame, Page, Request } from "playwright-core";

/** Milliseconds that requests of an action are waited for. */
const requestsMs = 2_000;
const loadMs = 10_000;

const waitedFor = new Set(["document", "stylesheet", "script", "xhr", "fetch"]);

export interface Settling {
  readonly page: Page;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds in which the page begins what was asked of it. */
  readonly beginMs: number;
}

/** What came of an act; `loads` for a page that goes on loading, which is shown as it is. */
export interface Settled<Result> {
  readonly result: Result;
  readonly loads: boolean;
}

/** Does something to a page, and waits until the page has answered: its requests ended, and another document is there. */
export async function settle<Result>({ page, clock, signal, beginMs }: Settling, act: () => Promise<Result>): Promise<Settled<Result>> {
  const open = new Set<Request>();
  let quiet = () => {};
  let left = false;
  const began = (request: Request) => waitedFor.has(request.resourceType()) && open.add(request);
  const ended = (request: Request) => {
    open.delete(request);
    if (open.size === 0) quiet();
  };
  const navigated = (frame: Frame) => {
    left ||= frame === page.mainFrame();
  };
  page.on("request", began).on("requestfinished", ended).on("requestfailed", ended).on("framenavigated", navigated);
  try {
    const result = await act();
    await pause(beginMs, clock, signal);
    if (open.size > 0) await Promise.race([new Promise<void>((resolve) => (quiet = resolve)), pause(requestsMs, clock, signal)]);
    const loading = left ? page.waitForLoadState("domcontentloaded", { timeout: loadMs }) : Promise.resolve();
    const loads = await loading.then(
      () => false,
      () => true,
    );
    return { result, loads };
  } finally {
    page.off("request", began).off("requestfinished", ended).off("requestfailed", ended).off("framenavigated", navigated);
  }
}
