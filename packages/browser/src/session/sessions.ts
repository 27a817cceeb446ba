import { type CallSite, type Logger, ToolwrightError } from "@toolwright/engine";
import { every, FairPool, type PoolSlot, processorPoolCapacity, type SandboxDriver, sharerOf } from "@toolwright/engine/ports";
import { type BrowserRun, startBrowser } from "../run/browser-run.ts";
import { BrowserSession, type SessionParts } from "./browser-session.ts";
import { crashed } from "./page-tabs.ts";

/** Sessions with a page, in this process. */
export const mostSessions = 8;
const idleMs = 10 * 60 * 1000;
/** A session idle for this long makes room for any request that waits; a busier one makes room for sharers who hold fewer. */
const restMs = 60 * 1000;
/** Milliseconds between two looks for what may make room, while somebody waits. */
const lookMs = 1_000;

/** Milliseconds that a page waits for others to start: the first one starts Chromium, which may take 30 s on a busy machine. */
const mostStartMs = 60_000;

export interface SessionsParts extends SessionParts {
  /** Where Chromium runs. Rejects or gives undefined where there is nothing. */
  readonly driver: () => Promise<SandboxDriver | undefined>;
  /** Absolute path of Chromium, where it is. */
  readonly chromium: () => string | undefined;
  readonly logger: Logger;
}

interface Held {
  readonly tenant: string;
  readonly session: string;
  readonly agent: string | undefined;
  readonly runKey: string;
  readonly run: BrowserRun;
  readonly pages: BrowserSession;
  readonly place: PoolSlot;
  /** Calls that use it or wait for that. */
  calls: number;
  /** One call after the other: they share a page. */
  turn: Promise<unknown>;
  usedAt: number;
  cancelIdle: () => void;
}

/** A context for each session, and a Chromium for each tenant and set of network rules. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #held = new Map<string, Held>();
  readonly #opening = new Map<string, Promise<Held>>();
  readonly #places: FairPool;
  /** A page that starts keeps a processor busy: those of one tenant leave half of them to others. */
  readonly #starts: FairPool;
  readonly #runs = new Map<string, Promise<BrowserRun>>();
  #closed = false;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#places = new FairPool({ things: "sessions with a page", capacity: mostSessions, clock: parts.clock });
    this.#starts = new FairPool({
      things: "pages that start",
      capacity: processorPoolCapacity,
      mostOfTenant: Math.ceil(processorPoolCapacity / 2),
      mostWaitMs: mostStartMs,
      clock: parts.clock,
    });
  }

  /** Those that have a page. */
  list(tenant: string): readonly Pick<Held, "session" | "agent" | "pages" | "usedAt">[] {
    return [...this.#held.values()].filter((held) => held.tenant === tenant);
  }

  find(tenant: string, session: string): BrowserSession | undefined {
    return this.#held.get(keyOf(tenant, session))?.pages;
  }

  /** Opens a page in the session of the call; a browser starts where there is none. */
  async opening<Result>(site: CallSite, work: (pages: BrowserSession) => Promise<Result>): Promise<Result> {
    const key = keyOf(site.principal.tenant, site.session);
    const before = this.#held.get(key);
    const held = await this.#hold(site);
    try {
      return await this.#run(held, site, work);
    } catch (error) {
      const isGone = held === before && this.#held.get(key) !== held;
      if (!isGone || site.signal.aborted) throw error;
      // The browser of an earlier call was ending already: the page opens in a new one.
      return this.#run(await this.#hold(site), site, work);
    }
  }

  /** Runs on the pages of the session of the call. */
  async within<Result>(site: CallSite, work: (pages: BrowserSession) => Promise<Result>): Promise<Result> {
    const held = this.#held.get(keyOf(site.principal.tenant, site.session));
    if (held?.runKey !== runKeyOf(site))
      throw new ToolwrightError(
        "browser_refused",
        "No page is open in this session. Pages close after ten minutes without use, when others wait who have fewer open, and with the process that opened them. Open one with browser_open.",
      );
    return this.#run(held, site, work);
  }

  async #run<Result>(held: Held, site: CallSite, work: (pages: BrowserSession) => Promise<Result>): Promise<Result> {
    site.reportPosture(held.run.posture);
    held.calls += 1;
    const begun = held.turn.then(() => {
      site.signal.throwIfAborted();
      this.#touch(held);
      return work(held.pages);
    });
    held.turn = begun
      .catch(() => undefined)
      .then(() => {
        held.calls -= 1;
        this.#touch(held);
        this.#makeRoom();
      });
    try {
      return await Promise.race([begun, aborted(site.signal), this.#endOf(held)]);
    } catch (error) {
      throw explainError(error, held);
    }
  }

  async #endOf({ run }: Held): Promise<never> {
    const { exit, anomalies } = await run.exited;
    const why =
      anomalies.find(({ kind }) => kind === "memory_limit")?.message ?? `It ended with ${exit.exitCode ?? exit.signal ?? exit.reason}.`;
    throw new ToolwrightError("browser_unavailable", `The browser ended. ${why} Open the page again.`);
  }

  async #hold(site: CallSite): Promise<Held> {
    const { tenant } = site.principal;
    const key = keyOf(tenant, site.session);
    const runKey = runKeyOf(site);
    const held = this.#held.get(key);
    // Rules that changed hold for what is open, too.
    if (held && held.runKey !== runKey) await this.close(tenant, site.session);
    else if (held) return held;
    let opening = this.#opening.get(key);
    if (!opening) {
      opening = this.#open(site, runKey).finally(() => this.#opening.delete(key));
      this.#opening.set(key, opening);
    }
    return opening;
  }

  async #open(site: CallSite, runKey: string): Promise<Held> {
    const place = await this.#takePlace(site);
    try {
      const start = await this.#starts.take(sharerOf(site.principal), { signal: site.signal });
      return await this.#begin(site, runKey, place).finally(() => start.free());
    } catch (error) {
      place.free();
      throw error;
    }
  }

  async #begin(site: CallSite, runKey: string, place: PoolSlot): Promise<Held> {
    const { tenant, agent } = site.principal;
    const { run, pages } = await this.#pagesFor(site, runKey);
    const held: Held = {
      ...{ tenant, session: site.session, agent, runKey, run, pages, place, calls: 0 },
      ...{ turn: Promise.resolve(), usedAt: this.#parts.clock.now(), cancelIdle: () => {} },
    };
    this.#held.set(keyOf(tenant, site.session), held);
    this.#touch(held);
    return held;
  }

  async #takePlace({ principal, signal }: CallSite): Promise<PoolSlot> {
    const taking = this.#places.take(sharerOf(principal), { signal });
    this.#makeRoom();
    // What is in use now may rest later.
    const stopLooking = every(lookMs, this.#parts.clock, () => this.#makeRoom());
    return taking.finally(stopLooking);
  }

  async #pagesFor(site: CallSite, runKey: string): Promise<{ readonly run: BrowserRun; readonly pages: BrowserSession }> {
    const ran = this.#runs.has(runKey);
    const run = await this.#runFor(site, runKey);
    try {
      const context = await run.browser.newContext({
        acceptDownloads: true,
        serviceWorkers: "block",
        viewport: { width: 1280, height: 800 },
      });
      const pages = new BrowserSession(context, this.#parts);
      await pages.begin();
      return { run, pages };
    } catch (error) {
      this.#endUnused(runKey);
      // One that ran before was ending already, so another one starts.
      if (ran && !this.#runs.has(runKey)) return this.#pagesFor(site, runKey);
      throw new ToolwrightError("browser_unavailable", "The browser ended while it opened a page. Open the page again.", { cause: error });
    }
  }

  #runFor({ network }: CallSite, runKey: string): Promise<BrowserRun> {
    const running = this.#runs.get(runKey);
    if (running) return running;
    const starting = this.#start(network);
    this.#runs.set(runKey, starting);
    starting.then(
      (run) => run.exited.then(() => this.#forget(runKey, starting)),
      () => this.#forget(runKey, starting),
    );
    return starting;
  }

  async #start(network: CallSite["network"]): Promise<BrowserRun> {
    const { logger } = this.#parts;
    const chromium = this.#parts.chromium();
    if (chromium === undefined)
      throw new ToolwrightError(
        "browser_unavailable",
        "There is no Chromium on this machine. An operator installs it, or names it in TOOLWRIGHT_CHROMIUM.",
      );
    const driver = await this.#parts.driver();
    if (!driver)
      throw new ToolwrightError(
        "browser_unavailable",
        "There is no sandbox here that a browser can run in. An operator finds out more with: toolwright doctor.",
      );
    const run = await startBrowser({ driver, chromium, network, logger });
    if (this.#closed) run.kill();
    return run;
  }

  /** The run is over: what was open in it is gone. */
  #forget(runKey: string, run: Promise<BrowserRun>): void {
    if (this.#runs.get(runKey) !== run) return;
    this.#runs.delete(runKey);
    for (const [key, held] of this.#held) {
      if (held.runKey !== runKey) continue;
      held.cancelIdle();
      this.#held.delete(key);
      held.place.free();
    }
  }

  #touch(held: Held): void {
    const { clock } = this.#parts;
    held.usedAt = clock.now();
    held.cancelIdle();
    if (this.#held.get(keyOf(held.tenant, held.session)) !== held) return;
    held.cancelIdle = clock.after(idleMs, () => void this.close(held.tenant, held.session));
  }

  /** While somebody waits, closes the pages that were used last by nobody for long, or by one who has more than those who wait. */
  #makeRoom(): void {
    if (!this.#places.isAwaited) return;
    const now = this.#parts.clock.now();
    const isDue = ({ calls, usedAt, place }: Held) => calls === 0 && (now - usedAt >= restMs || this.#places.shouldYield(place.sharer));
    const [idlest] = [...this.#held.values()].filter(isDue).sort((one, other) => one.usedAt - other.usedAt);
    if (idlest) void this.close(idlest.tenant, idlest.session).then(() => this.#makeRoom());
  }

  /** False when the session had no page. */
  async close(tenant: string, session: string): Promise<boolean> {
    const key = keyOf(tenant, session);
    const held = this.#held.get(key);
    if (!held) return false;
    held.cancelIdle();
    this.#held.delete(key);
    try {
      await held.pages.close();
    } finally {
      held.place.free();
    }
    this.#endUnused(held.runKey);
    return true;
  }

  #endUnused(runKey: string): void {
    if ([...this.#held.values()].some((held) => held.runKey === runKey)) return;
    const run = this.#runs.get(runKey);
    this.#runs.delete(runKey);
    void run?.then((ended) => ended.kill()).catch(() => undefined);
  }

  /** Ends every browser. */
  async end(): Promise<void> {
    this.#closed = true;
    for (const held of this.#held.values()) {
      held.cancelIdle();
      held.place.free();
    }
    this.#held.clear();
    const runs = await Promise.allSettled(this.#runs.values());
    this.#runs.clear();
    await Promise.all(
      runs.map((run) => {
        if (run.status === "rejected") return undefined;
        run.value.kill();
        return run.value.exited;
      }),
    );
  }
}

const runKeyOf = ({ principal, network }: CallSite) => JSON.stringify([principal.tenant, network]);
const keyOf = (tenant: string, session: string) => JSON.stringify([tenant, session]);

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** What the library throws names its own internals; the rest is told as it is. */
function explainError(error: unknown, { run }: Held): unknown {
  if (ToolwrightError.is(error) || !(error instanceof Error)) return error;
  if (!run.browser.isConnected())
    return new ToolwrightError("browser_unavailable", "The browser ended. Open the page again.", { cause: error });
  if (/(?:Target|[Pp]age) crashed/.test(error.message)) return new ToolwrightError("browser_unavailable", crashed, { cause: error });
  if (error.message.includes("has been closed"))
    return new ToolwrightError("browser_unavailable", "The page closed itself. Take a snapshot of the one before, or open another one.", {
      cause: error,
    });
  if (error.name === "TimeoutError")
    return new ToolwrightError("browser_unavailable", "The page does not answer. Open it again, or another one.", { cause: error });
  return error;
}
