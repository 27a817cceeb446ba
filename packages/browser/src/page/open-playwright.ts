import { surveyorEngine } from "./surveyor.ts";

type Playwright = typeof import("playwright-core");

let opened: Promise<Playwright> | undefined;

/** Loads the library when a browser is first wanted: it takes longer than most processes live. */
export function openPlaywright(): Promise<Playwright> {
  opened ??= import("playwright-core").then(async (playwright) => {
    // In the world of the library, which pages neither see nor change.
    await playwright.selectors.register(surveyorName, { content: surveyorEngine() }, { contentScript: true });
    return playwright;
  });
  return opened;
}

/** Name of the selectors that `surveyor.ts` answers. */
export const surveyorName = "toolwright";
