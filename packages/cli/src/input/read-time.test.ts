import { expect, test } from "vitest";
import { readFuture, readPast } from "./read-time.ts";

const now = Date.UTC(2026, 5, 15, 12);

test.each([
  ["30m", now - 1_800_000],
  ["7d", now - 7 * 86_400_000],
  ["2026-01-31", Date.UTC(2026, 0, 31)],
  ["2024-02-29", Date.UTC(2024, 1, 29)],
  ["2026-06-15T12:00Z", now],
  ["2026-06-15T13:30+02:00", now - 1_800_000],
])("%s is a time that has come", (text, time) => {
  expect(readPast("--since", text, now)).toBe(time);
});

test.each([
  ["+90m", now + 5_400_000],
  ["+10s", now + 10_000],
  ["2026-12-01T09:00Z", Date.UTC(2026, 11, 1, 9)],
  ["2028-02-29T09:00Z", Date.UTC(2028, 1, 29, 9)],
  ["2026-12-01T09:00", new Date(2026, 11, 1, 9).getTime()],
])("%s is a time to come", (text, time) => {
  expect(readFuture(text, now)).toBe(time);
});

test.each(["2026-02-31", "2026-02-29T09:00", "2026-04-31T09:00Z", "2026-02-00", "2026-00-10", "2026-13-01", "tomorrow", "2026-1-1", ""])(
  "%j is no time: days that there are not are not moved to others",
  (text) => {
    expect(() => readPast("--since", text, now)).toThrow("is not a time");
    expect(() => readFuture(text.replace("2026", "2027"), now)).toThrow("is not a time");
  },
);

test("a time on the wrong side of now is refused", () => {
  expect(() => readPast("--since", "2026-06-15T12:01Z", now)).toThrow("has not come yet");
  expect(() => readFuture("2026-06-15T11:59Z", now)).toThrow("has passed already");
});
