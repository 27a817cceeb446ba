import { visibleText } from "@toolwright/engine/ports";

/** Names stand after those that they also carry: Edge calls itself Chrome, and Chrome Safari. */
const browsers: readonly (readonly [part: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
];

const systems: readonly (readonly [part: RegExp, name: string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac(?:intosh| OS X)\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

const longest = 60;
const mostRead = 1_000;

/** A browser in words, from what it says of itself (RFC 9110 section 10.1.5); of a program its own words. */
export function describeBrowser(sent: string | undefined): string {
  const agent = sent?.slice(0, mostRead);
  if (agent === undefined || agent.trim() === "") return "Unknown browser";
  const browser = browsers.find(([part]) => part.test(agent))?.[1];
  const system = systems.find(([part]) => part.test(agent))?.[1];
  if (browser === undefined) return visibleText(agent.slice(0, longest));
  return system === undefined ? browser : `${browser} on ${system}`;
}
