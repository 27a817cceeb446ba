import { expect, test } from "vitest";
import { describeBrowser } from "./describe-browser.ts";

const mozilla = (rest: string) => `Mozilla/5.0 ${rest}`;
const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [mozilla("(X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"), "Firefox on Linux"],
  [mozilla(`(X11; Linux x86_64) ${webkit} HeadlessChrome/140.0.0.0 Safari/537.36`), "Chrome on Linux"],
  [mozilla(`(Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`), "Edge on Windows"],
  [mozilla(`(Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/140.0.0.0 Safari/537.36 OPR/120.0`), "Opera on macOS"],
  [mozilla("(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15"), "Safari on macOS"],
  [
    mozilla("(iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148"),
    "Chrome on iPhone",
  ],
  [mozilla(`(Linux; Android 15; Pixel 9) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`), "Chrome on Android"],
  [mozilla(`(X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/140.0.0.0 Safari/537.36`), "Chrome on ChromeOS"],
  ["Firefox/140.0", "Firefox"],
  ["curl/8.5.0", "curl/8.5.0"],
  ["a\u202eb", "a<U+202E>b"],
  ["x".repeat(500), "x".repeat(60)],
  ["", "Unknown browser"],
  [undefined, "Unknown browser"],
])("%s is %s", (agent, words) => {
  expect(describeBrowser(agent)).toBe(words);
});
