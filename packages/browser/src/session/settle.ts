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

/** Does something to a page, and waits until the page has answered: its requests ended, and another document is there, be it in a page that it opened. */
export async function settle<Result>({ page, clock, signal, beginMs }: Settling, act: () => Promise<Result>): Promise<Settled<Result>> {
  const context = page.context();
  const open = new Set<Request>();
  let quiet = () => {};
  const close = (requests: Iterable<Request>) => {
    for (const request of requests) open.delete(request);
    if (open.size === 0) quiet();
  };
  let changed: Page | undefined;
  const began = (request: Request) => {
    const from = pageOf(request);
    if (waitedFor.has(request.resourceType()) && (from === page || from === "coming")) open.add(request);
  };
  const failed = (request: Request) => close([request]);
  // Playwright reports a new page a little after its document has arrived.
  const finished = (request: Request) => pageOf(request) === "coming" || close([request]);
  const opened = (popup: Page) => {
    changed = popup;
    close([...open].filter((request) => pageOf(request) !== page));
  };
  const navigated = (frame: Frame) => {
    if (frame === page.mainFrame()) changed ??= page;
  };
  context.on("request", began).on("requestfinished", finished).on("requestfailed", failed).on("page", opened);
  page.on("framenavigated", navigated);
  try {
    const result = await act();
    await pause(beginMs, clock, signal);
    if (open.size > 0) await Promise.race([new Promise<void>((resolve) => (quiet = resolve)), pause(requestsMs, clock, signal)]);
    const loading = changed?.waitForLoadState("domcontentloaded", { timeout: loadMs }) ?? Promise.resolve();
    const loads = await loading.then(
      () => false,
      () => true,
    );
    return { result, loads };
  } finally {
    context.off("request", began).off("requestfinished", finished).off("requestfailed", failed).off("page", opened);
    page.off("framenavigated", navigated);
  }
}

/** The page that a request belongs to: `coming` while Playwright has not reported the page, undefined for a service worker. */
function pageOf(request: Request): Page | "coming" | undefined {
  if (request.serviceWorker()) return undefined;
  try {
    return request.frame().page();
  } catch {
    return "coming";
  }
}
