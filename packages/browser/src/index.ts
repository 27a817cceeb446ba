export { type BrowserCapability, type BrowserOptions, browserCapability } from "./browser-capability.ts";
export type {
  ActingPages,
  BrowserPages,
  ChangedPage,
  FoundOnPage,
  MoreOfPage,
  News,
  PageAction,
  Screenshot,
  ShownPage,
} from "./browser-pages.ts";
export type { BrowserFrame, BrowserInspector, OpenBrowser } from "./contract/browser-inspector.ts";
export { browserTools } from "./tools/index.ts";
