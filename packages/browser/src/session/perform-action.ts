import { type CallSite, type Failure, fail, ToolwrightError } from "@toolwright/engine";
import type { Frame, Locator, Page } from "playwright-core";
import type { PageAction } from "../browser-pages.ts";

/** Milliseconds until an element that cannot be acted on counts as one that cannot. */
const actionMs = 5_000;

/** The value of a secret that an operator bound to the origin of the URL. Rejects with `secret_missing`, `url_refused` or `approval_void`. */
export type TakeSecret = (name: string, url: URL, site: CallSite) => Promise<string>;

interface ActionSite {
  readonly page: Page;
  /** That the element stands in. */
  readonly frame: Frame;
  /** Undefined for a key that goes to whatever has the focus. */
  readonly locator: Locator | undefined;
  readonly site: CallSite;
  readonly takeSecret: TakeSecret;
  /** Hears a secret that was typed, and where. */
  readonly typed: (value: string, field: Locator) => Promise<void>;
}

/** Does what was asked to one element. */
export async function performAction(action: PageAction, at: ActionSite): Promise<Failure | undefined> {
  try {
    await perform(action, at);
    return undefined;
  } catch (error) {
    // A page that crashed or closed itself is no matter of the element.
    if (ToolwrightError.is(error) || /has been closed|crashed/.test((error as Error).message)) throw error;
    return explain(action, error as Error);
  }
}

async function perform(action: PageAction, at: ActionSite): Promise<void> {
  const timeout = actionMs;
  if (action.kind === "press") {
    await (at.locator ? at.locator.press(action.key, { timeout }) : at.page.keyboard.press(action.key));
    return;
  }
  const locator = at.locator as Locator;
  if (action.kind === "click") await (action.double ? locator.dblclick({ timeout }) : locator.click({ timeout }));
  if (action.kind === "type") await fill(locator, action.text, action.submit);
  if (action.kind === "credential") await fillSecret(action, locator, at);
  if (action.kind === "select") await locator.selectOption(action.option, { timeout });
  if (action.kind === "upload") await upload(locator, at.page, action);
}

async function fill(locator: Locator, text: string, submit = false): Promise<void> {
  await locator.fill(text, { timeout: actionMs });
  if (submit) await locator.press("Enter", { timeout: actionMs, noWaitAfter: true });
}

async function fillSecret(
  { name, submit }: Extract<PageAction, { kind: "credential" }>,
  locator: Locator,
  { site, frame, takeSecret, typed }: ActionSite,
): Promise<void> {
  // A ref is found in the document that was read alone: when the frame goes elsewhere meanwhile, there is nothing to type into.
  const value = await takeSecret(name, new URL(frame.url()), site);
  await typed(value, locator);
  await fill(locator, value, submit);
}

async function upload(locator: Locator, page: Page, { name, mediaType, bytes }: Extract<PageAction, { kind: "upload" }>): Promise<void> {
  const file = { name, mimeType: mediaType, buffer: Buffer.from(bytes) };
  const isField = (await locator.getAttribute("type", { timeout: actionMs })) === "file";
  if (isField) return locator.setInputFiles(file, { timeout: actionMs });
  const [chooser] = await Promise.all([page.waitForEvent("filechooser", { timeout: actionMs }), locator.click({ timeout: actionMs })]);
  await chooser.setFiles(file, { timeout: actionMs });
}

function explain(action: PageAction, error: Error): Failure {
  if (action.kind === "press" && error.message.includes("Unknown key"))
    return fail(
      "not_possible",
      `There is no key ${JSON.stringify(action.key)}. Keys are named as Enter, Tab, Escape, ArrowDown, a or Control+A.`,
    );
  if (action.kind === "select" && error.message.includes("did not find some options"))
    return fail("not_possible", `The list has no option ${JSON.stringify(action.option)}. Choose one that the snapshot shows.`);
  const reason = /(?:intercepts pointer events|not enabled|not visible|not editable|outside of the viewport)/.exec(error.message)?.[0];
  if (error.name === "TimeoutError")
    return fail(
      "not_possible",
      `The element could not be acted on within ${actionMs / 1000} seconds${reason === undefined ? "" : `: ${reason}`}. Take a new snapshot, and look what is in the way.`,
    );
  const first =
    error.message
      .split("\n")[0]
      ?.replace(/^\w+\.\w+: (?:Error: )?/, "")
      .slice(0, 300) ?? "";
  return fail("not_possible", `That cannot be done to this element: ${first}`);
}
