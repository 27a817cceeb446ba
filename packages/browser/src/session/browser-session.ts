import { type CallSite, type Failure, fail, isFailure, ToolwrightError } from "@toolwright/engine";
import { type Clock, type Ids, pause } from "@toolwright/engine/ports";
import type { BrowserContext, Frame, Locator, Page } from "playwright-core";
import type { ChangedPage, FoundOnPage, PageAction, Screenshot, ShownPage } from "../browser-pages.ts";
import type { BrowserFrame } from "../contract/browser-inspector.ts";
import { answers, askSurveyor, locate } from "../page/ask-surveyor.ts";
import { compareSnapshots } from "../page/compare-snapshots.ts";
import { hidePasswords } from "../page/hide-passwords.ts";
import { askFrames, passwordsOf, type ReadPiece, readPiece, refsIn, type Snapshot, takeSnapshot, wholeOf } from "../page/take-snapshot.ts";
import { Downloads } from "./downloads.ts";
import { goTo, judgePage, type Opened, refuseLocation } from "./navigate.ts";
import { PageTabs } from "./page-tabs.ts";
import { performAction, type TakeSecret } from "./perform-action.ts";
import { readAtOneHost } from "./read-at-one-host.ts";
import { settle } from "./settle.ts";
import { ShownSnapshot } from "./shown-page.ts";

const waitMs = 20_000;
/** A page that was opened has begun; one that was acted on may first think. */
const beginMs = { opened: 20, acted: 200 };
const longestTitle = 200;
const titleMs = 2_000;
const frameMs = 5_000;
/** Pixels of the height of a page that one picture holds. */
const tallest = 8_000;
const viewport = { width: 1280, height: 800 };

export interface SessionParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly takeSecret: TakeSecret;
}

/** The context of one session: its pages, and what its caller was shown of them. */
export class BrowserSession {
  readonly openedAt: number;
  readonly #context: BrowserContext;
  readonly #parts: SessionParts;
  readonly #tabs: PageTabs;
  readonly #downloads: Downloads;
  /** Secrets that were typed: no snapshot of this session shows them, and no picture their fields. */
  readonly #secrets = new Map<string, { readonly frame: Frame; readonly token: number }>();
  readonly #permitted = new Set<string>();
  readonly #news: string[] = [];
  #shown: ShownSnapshot | undefined;

  constructor(context: BrowserContext, parts: SessionParts) {
    this.#context = context;
    this.#parts = parts;
    this.openedAt = parts.clock.now();
    this.#tabs = new PageTabs(context);
    this.#downloads = new Downloads(context);
  }

  /**
   * Hosts of the documents that an action may act on: none for a snapshot that is not the last one, of which `act` will do nothing; undefined for a
   * ref that nobody was shown.
   */
  hostsFor(snapshotId: unknown, ref: string | undefined): readonly string[] | undefined {
    return snapshotId === this.#shown?.id ? this.#shown?.hostsFor(ref) : [];
  }

  /** Whether a person has permitted to act on pages of the host. */
  permits(host: string): boolean {
    return this.#permitted.has(host);
  }

  /** Starts a page that shows nothing yet. Where that fails, the context is closed. */
  async begin(): Promise<void> {
    try {
      await this.#tabs.current();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async open(url: string, site: CallSite): Promise<ShownPage | Failure> {
    judgePage(url, site);
    const opened = await this.#load(url, site).catch(async (error: unknown) => {
      await this.#tabs.leave();
      throw error;
    });
    if (opened === "file") await this.#downloads.begun(this.#parts.clock, site.signal);
    await this.#downloads.keep(site, this.#news);
    if (opened === "page") return this.#show(site);
    await this.#tabs.leave();
    if (opened === "file") return this.#noPage(url);
    return opened === "interrupted" ? fail("page_failed", `${url} leads from one page to the next. Open another page.`) : opened;
  }

  async #load(url: string, site: CallSite): Promise<Opened> {
    const open = async () => {
      const page = await this.#tabs.current();
      return this.#settle(page, { site, beginMs: beginMs.opened }, () => goTo(page, url, this.#news));
    };
    const before = this.#tabs.shown;
    // One that is busy for ever would not let another document in.
    if (before && !(await answers(before))) await this.#tabs.leave();
    const opened = await open();
    if (opened !== "interrupted") return opened;
    // What was open went elsewhere by itself: a fresh page does not.
    await this.#tabs.leave();
    return open();
  }

  async #settle<Result>(
    page: Page,
    { site, beginMs: ms }: { site: CallSite; beginMs: number },
    act: () => Promise<Result>,
  ): Promise<Result> {
    const { result, loads } = await settle({ page, clock: this.#parts.clock, signal: site.signal, beginMs: ms }, act);
    if (loads) this.#news.push("The page goes on loading: this is what is there by now. Go on with browser_wait.");
    return result;
  }

  /** Leaves a page that is none of the web. */
  async #webPage(page = this.#tabs.opened): Promise<Page> {
    const refusal = refuseLocation(page.url());
    if (refusal === undefined) return page;
    await this.#tabs.leave(page);
    const next = this.#tabs.shown ? "The page before it is open again: take a snapshot." : "Open a page again.";
    throw new ToolwrightError("browser_refused", `${refusal} ${next}`);
  }

  /** The URL was a file. */
  #noPage(url: string): ShownPage {
    return { url, title: "", snapshot: "No page is open: the URL is a download.", snapshotId: "none", more: [], news: this.#takeNews() };
  }

  async snapshot({ ref, part }: { ref?: string | undefined; part?: number | undefined }, site: CallSite): Promise<ShownPage | Failure> {
    if (ref == null && part == null) return this.#show(site);
    const page = await this.#webPage();
    const read = await readAtOneHost(page, async () => {
      const shown = this.#shown;
      if (shown?.page !== page || shown.url !== page.url())
        return fail("stale_snapshot", "The page is another one than the last snapshot shows. Take a snapshot of the whole page first.");
      const place = ref == null ? shown.part(part as number) : await this.#startAt(shown, ref);
      if (isFailure(place)) return place;
      const { text, ...rest } = await takeSnapshot(place, { hidden: this.#hidden(site), partsBefore: shown.parts });
      const { url, id: snapshotId } = shown;
      return { url, title: await this.#titleOf(page), snapshot: text, snapshotId, more: shown.add(rest) };
    });
    return isFailure(read) ? read : { ...read, news: this.#takeNews() };
  }

  async #startAt(shown: ShownSnapshot, ref: string): Promise<Parameters<typeof takeSnapshot>[0] | Failure> {
    const found = await shown.find(ref);
    if (isFailure(found)) return found;
    const { frame } = found.piece;
    return { frame, start: { token: await askSurveyor<number>(found.locator, { ask: "keep" }), from: 0, offset: 0 } };
  }

  async find(text: string, site: CallSite): Promise<FoundOnPage | Failure> {
    const page = await this.#webPage();
    return readAtOneHost(page, async () => {
      const isShown = this.#shown?.page === page && this.#shown.url === page.url();
      const shown = isShown ? (this.#shown as ShownSnapshot) : (await this.#take(site, page)).shown;
      return this.#findIn(shown, text, site);
    });
  }

  async #findIn(shown: ShownSnapshot, text: string, site: CallSite): Promise<FoundOnPage> {
    const { page, url, id: snapshotId } = shown;
    const matches: string[] = [];
    let more = false;
    for (const { frame, answer } of await askFrames<{ tokens: number[]; more: boolean }>(page, { ask: "find", text })) {
      more ||= answer.more;
      const pieces = answer.tokens.slice(0, 20 - matches.length).map((token): ReadPiece => ({ frame, token }));
      const texts = await Promise.all(pieces.map((piece) => readPiece(piece).catch(() => "")));
      for (const [index, whole] of texts.entries()) {
        const short = whole.slice(0, 1_500);
        if (short === "") continue;
        shown.add({ refs: new Map(refsIn(short).map((ref) => [ref, pieces[index] as ReadPiece])), rests: [] });
        matches.push(short);
      }
    }
    const hidden = [...this.#hidden(site), ...(await passwordsOf(page))];
    return { url, matches: matches.map((match) => hidePasswords(match, hidden)), snapshotId, more };
  }

  async act(action: PageAction, site: CallSite): Promise<ChangedPage | Failure> {
    const shown = this.#shown;
    if (!shown || action.snapshotId !== shown.id)
      return fail("stale_snapshot", "The snapshot that this names is not the last one. Take a new snapshot, and use its id and refs.");
    const { ref } = action;
    const host = shown.hostOf(ref);
    if (host === undefined) return fail("unknown_ref", `The last snapshot has no ref ${JSON.stringify(ref)}. Use one that it names.`);
    if (this.#tabs.opened !== shown.page || shown.url !== shown.page.url())
      return fail("stale_snapshot", "The page went elsewhere since the last snapshot. Take a new one.");
    const found = ref === undefined ? undefined : await shown.find(ref);
    if (isFailure(found)) return found;
    if (site.approved) this.#permitted.add(host);
    const { page } = shown;
    const { takeSecret } = this.#parts;
    const typed = async (value: string, field: Locator) => {
      if (found && value !== "")
        this.#secrets.set(value, { frame: found.piece.frame, token: await askSurveyor<number>(field, { ask: "keep" }) });
    };
    const frame = found?.piece.frame ?? page.mainFrame();
    const failure = await this.#settle(page, { site, beginMs: beginMs.acted }, () =>
      performAction(action, { page, frame, locator: found?.locator, site, takeSecret, typed }),
    );
    return failure ?? this.#change(shown, site);
  }

  async wait({ text, gone }: { text?: string | undefined; gone?: string | undefined }, site: CallSite): Promise<ChangedPage | Failure> {
    const page = this.#tabs.opened;
    const before = this.#shown;
    const states = [
      [text, "visible"],
      [gone, "hidden"],
    ] as const;
    for (const [wanted, state] of states) {
      if (wanted === undefined) continue;
      const came = await page
        .getByText(wanted)
        .first()
        .waitFor({ state, timeout: waitMs })
        .then(() => true)
        .catch(() => false);
      const what = state === "visible" ? "did not appear" : "did not go away";
      if (!came)
        return fail(
          "not_there",
          `The text ${JSON.stringify(wanted)} ${what} within ${waitMs / 1000} seconds. Take a snapshot to see what is there.`,
        );
    }
    await this.#settle(page, { site, beginMs: beginMs.acted }, async () => {});
    return this.#change(before, site);
  }

  async screenshot({ ref, full }: { ref?: string | undefined; full: boolean }, site: CallSite): Promise<Screenshot | Failure> {
    const page = await this.#webPage();
    const taken = await readAtOneHost(page, async () => {
      const options = { type: "png", mask: this.#mask(), timeout: waitMs } as const;
      const found = ref === undefined ? undefined : await this.#shown?.find(ref);
      if (isFailure(found)) return found;
      if (ref !== undefined && !found) return fail("unknown_ref", "There is no snapshot yet. Take one, and use its refs.");
      const clip = { x: 0, y: 0, width: viewport.width, height: tallest };
      const picture = found ? found.locator.screenshot(options) : page.screenshot({ ...options, ...(full && { fullPage: true, clip }) });
      return { bytes: await picture, url: page.url() };
    });
    if (isFailure(taken)) return taken;
    const owner = { tenant: site.principal.tenant, session: site.session, callId: site.callId };
    const writer = await site.artifacts.create(owner, { name: "screenshot.png", mediaType: "image/png" });
    await writer.write(taken.bytes);
    return { artifact: await writer.finish(), ...taken };
  }

  /** Undefined where nothing is open. */
  async where(): Promise<Pick<BrowserFrame, "url" | "title"> | undefined> {
    const page = this.#tabs.shown;
    return page && { url: page.url(), title: await this.#titleOf(page) };
  }

  /** For people who follow: what the page looks like now. */
  async frame(): Promise<BrowserFrame | undefined> {
    const page = this.#tabs.shown;
    const jpeg = await page?.screenshot({ type: "jpeg", quality: 60, mask: this.#mask(), timeout: frameMs }).catch(() => undefined);
    return page && jpeg && { jpeg, url: page.url(), title: await this.#titleOf(page) };
  }

  async close(): Promise<void> {
    await this.#context.close().catch(() => undefined);
  }

  /** Fields that a secret was typed into. */
  #mask(): Locator[] {
    return [...this.#secrets.values()].map(({ frame, token }) => locate(frame, { ask: "element", token }));
  }

  async #titleOf(page: Page): Promise<string> {
    // A page that is busy for ever does not tell.
    const title = await Promise.race([page.title().catch(() => ""), pause(titleMs, this.#parts.clock).then(() => "")]);
    return hidePasswords(title.slice(0, longestTitle), [...this.#secrets.keys()]);
  }

  /** Values that the call must not put out. */
  #hidden(site: CallSite): readonly string[] {
    const values = [...this.#secrets.keys()];
    for (const value of values) site.taint(value);
    return values;
  }

  /** Reads a page as a whole, which is what the caller is shown last then. */
  async #take(site: CallSite, page = this.#tabs.opened): Promise<{ shown: ShownSnapshot; title: string; snapshot: Snapshot }> {
    const read = await readAtOneHost(page, async () => {
      await this.#webPage(page);
      const snapshot = await takeSnapshot(wholeOf(page), { hidden: this.#hidden(site) });
      return { snapshot, title: await this.#titleOf(page), url: page.url() };
    });
    const shown = new ShownSnapshot({ id: this.#parts.ids.next("snapshot"), page, url: read.url }, read.snapshot);
    this.#shown = shown;
    return { ...read, shown };
  }

  async #show(site: CallSite): Promise<ShownPage> {
    const { shown, title, snapshot } = await this.#take(site);
    if (snapshot.text === "")
      this.#news.push("The page shows nothing that can be read. Wait with browser_wait, or look at it with browser_screenshot.");
    const kind = this.#tabs.takeDialog(shown.url)?.split(/\W/)[0];
    if (kind !== undefined) this.#news.push(`The page opened a dialog (${kind}), which was dismissed.`);
    const more = snapshot.rests.map(({ what }, index) => ({ part: index + 1, what }));
    return { url: shown.url, title, snapshot: snapshot.text, snapshotId: shown.id, more, news: this.#takeNews() };
  }

  async #change(before: ShownSnapshot | undefined, site: CallSite): Promise<ChangedPage> {
    await this.#downloads.keep(site, this.#news);
    const { shown, snapshot } = await this.#take(site);
    const { page, url, id: snapshotId } = shown;
    const isSame = before?.page === page && before.url === url;
    const changed = isSame ? compareSnapshots(before.text, snapshot.text) : snapshot.text;
    return { url, changed, snapshotId, dialog: this.#tabs.takeDialog(url), news: this.#takeNews() };
  }

  /** What happened beside the page since a call was told last, in sentences. */
  #takeNews(): readonly string[] {
    return [...this.#tabs.takeNews(), ...this.#news.splice(0)];
  }
}
