import { afterEach, expect, test } from "vitest";
import { learnServerTime, serverNow, wordsOfClock } from "./clock.ts";

const here = Date.parse("2026-11-24T12:00:00Z");
afterEach(() => learnServerTime(new Date(here).toUTCString(), here));

test.each([
  { server: "Tue, 24 Nov 2026 12:01:00 GMT", words: undefined, ahead: 0 },
  { server: "Tue, 24 Nov 2026 13:00:00 GMT", words: "60 minutes behind the server's", ahead: 3_600_000 },
  { server: "Tue, 24 Nov 2026 11:00:00 GMT", words: "60 minutes ahead of the server's", ahead: -3_600_000 },
  { server: null, words: undefined, ahead: 0 },
  { server: "nonsense", words: undefined, ahead: 0 },
])("where the server says $server", ({ server, words, ahead }) => {
  learnServerTime(server, here);
  if (words === undefined) expect(wordsOfClock()).toBeUndefined();
  else expect(wordsOfClock()).toContain(words);
  expect(Math.abs(serverNow() - Date.now() - ahead)).toBeLessThan(1_000);
});
