import { ToolwrightError } from "@toolwright/engine";
import type { BrowserContext, Dialog, Page } from "playwright-core";
import { hostOf } from "./shown-page.ts";

/** Pages of one session; a page that opens more closes the oldest. */
const mostPages = 4;
const longestMessage = 500;
/** The error of a call whose page crashed. */
export const crashed = "The page crashed: it may have used more memory than it may. Open it again, or another one.";

/** The pages of one session, and what they opened by themselves. */
export class PageTabs {
  readonly #context: BrowserContext;
  readonly #pages: Page[] = [];
  #dialog: { readonly host: string; readonly kind: string; readonly words: string } | undefined;
  #news: string[] = [];
  #crashed = false;

  constructor(context: BrowserContext) {
    this.#context = context;
    context.on("page", (page) => this.#add(page));
  }

  /** The newest that is open, or a new one. */
  async current(): Promise<Page> {
    if (this.#pages.length === 0) await this.#context.newPage();
    return this.#pages.at(-1) as Page;
  }

  /** Closes a page, or the newest; the one before is the newest then. */
  async leave(page = this.#pages.at(-1)): Promise<void> {
    if (!page) return;
    this.#remove(page);
    await page.close().catch(() => undefined);
  }

  /** The newest that shows something. */
  get shown(): Page | undefined {
    const page = this.#pages.at(-1);
    return page?.url() === "about:blank" ? undefined : page;
  }

  /** Throws when nothing was opened yet. */
  get opened(): Page {
    const page = this.shown;
    if (!page && this.#crashed) throw new ToolwrightError("browser_unavailable", crashed);
    if (!page) throw new ToolwrightError("browser_refused", "No page is open. Open one with browser_open.");
    return page;
  }

  /** What the last dialog was, once. Its words stand only beside those of its own host. */
  takeDialog(url: string): string | null {
    const dialog = this.#dialog;
    this.#dialog = undefined;
    if (!dialog) return null;
    const { host, kind, words } = dialog;
    return host === hostOf(url) ? `${kind}: ${words} (dismissed)` : `${kind} of a page of ${host} (dismissed)`;
  }

  /** What pages did by themselves since this was asked, in sentences. */
  takeNews(): readonly string[] {
    return this.#news.splice(0);
  }

  #add(page: Page): void {
    if (this.#pages.length > 0)
      this.#news.push("The page opened another one, which is the current one now. To go back, open the address of the one before.");
    this.#pages.push(page);
    this.#crashed = false;
    if (this.#pages.length > mostPages) void this.#pages[0]?.close().catch(() => undefined);
    page.on("close", () => this.#remove(page));
    page.on("dialog", (dialog) => this.#answer(dialog, page));
    page.on("crash", () => {
      this.#crashed = true;
      this.#remove(page);
      void page.close().catch(() => undefined);
    });
  }

  #remove(page: Page): void {
    const index = this.#pages.indexOf(page);
    if (index >= 0) this.#pages.splice(index, 1);
  }

  /** Nobody is there to read it, and a page waits for its dialog. */
  #answer(dialog: Dialog, page: Page): void {
    const leaves = dialog.type() === "beforeunload";
    if (!leaves) this.#dialog = { host: hostOf(page.url()), kind: dialog.type(), words: dialog.message().slice(0, longestMessage) };
    void (leaves ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
  }
}
