import type { CDPSession, Page } from "playwright-core";

/** Milliseconds of script that the page's thread worked while something was done; what else the machine did does not count. */
export async function openScriptMeter(page: Page): Promise<(act: () => Promise<unknown>) => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async (act) => {
    const before = await readScriptMs(session);
    await act();
    return (await readScriptMs(session)) - before;
  };
}

async function readScriptMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Number.NaN);
}

/** Resolves when the page has drawn and done what was put off. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done))))");
}

interface Scrolled {
  /** Milliseconds between frames. */
  readonly frames: readonly number[];
  /** Rows that were in the page at once. */
  readonly mostRows: number;
}

/** Turns the wheel over the page for some frames, to and fro. */
export async function scrollPage(page: Page, turns: number): Promise<Scrolled> {
  await page.mouse.move(700, 500);
  const watching = page.evaluate(`new Promise((done) => {
    const frames = [];
    let mostRows = 0;
    let last = performance.now();
    const look = (now) => {
      frames.push(now - last);
      last = now;
      mostRows = Math.max(mostRows, document.querySelectorAll("main li").length);
      if (globalThis.stopScrolling) done({ frames, mostRows });
      else requestAnimationFrame(look);
    };
    globalThis.stopScrolling = false;
    requestAnimationFrame(look);
  })`) as Promise<Scrolled>;
  for (let turn = 0; turn < turns; turn += 1) await page.mouse.wheel(0, turn % 40 < 20 ? 240 : -240);
  await page.evaluate("globalThis.stopScrolling = true");
  return watching;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
