import { describe, expect, it } from "vitest";
import { checkCron, nextTime, passedTimes } from "./cron.ts";

const zone = "Europe/Berlin";
const at = (text: string) => Date.parse(text);
const text = (time: number) => new Date(time).toISOString();

/** Times from one on, the first excluded. */
function times(line: string, from: string, count: number): string[] {
  const found: string[] = [];
  for (let time = at(from); found.length < count; ) {
    time = nextTime({ line, zone }, time);
    found.push(text(time));
  }
  return found;
}

describe("cron", () => {
  it.each([
    [
      "a time that spring skips comes once, as far after the gap",
      "30 2 * * *",
      "2027-03-27T12:00:00Z",
      ["2027-03-28T01:30:00.000Z", "2027-03-29T00:30:00.000Z"],
    ],
    [
      "a time that autumn repeats comes once",
      "30 2 * * *",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"],
    ],
    [
      "a morning stays at its local hour in spring",
      "0 9 * * *",
      "2027-03-27T00:00:00Z",
      ["2027-03-27T08:00:00.000Z", "2027-03-28T07:00:00.000Z"],
    ],
    [
      "a morning stays at its local hour in autumn",
      "0 9 * * *",
      "2026-10-24T00:00:00Z",
      ["2026-10-24T07:00:00.000Z", "2026-10-25T08:00:00.000Z"],
    ],
    [
      "every half hour goes on through both hours of autumn",
      "*/30 * * * *",
      "2026-10-24T23:45:00Z",
      [
        "2026-10-25T00:00:00.000Z",
        "2026-10-25T00:30:00.000Z",
        "2026-10-25T01:00:00.000Z",
        "2026-10-25T01:30:00.000Z",
        "2026-10-25T02:00:00.000Z",
      ],
    ],
    [
      "every half hour goes on over the gap of spring",
      "*/30 * * * *",
      "2027-03-28T00:15:00Z",
      ["2027-03-28T00:30:00.000Z", "2027-03-28T01:00:00.000Z"],
    ],
    ["a working day passes over the weekend", "0 9 * * 1-5", "2026-11-20T12:00:00Z", ["2026-11-23T08:00:00.000Z"]],
  ])("%s", (_, line, from, expected) => {
    expect(times(line, from, expected.length)).toEqual(expected);
  });

  it.each([
    ["six fields", "* * * * * *", "UTC"],
    ["a word", "@daily", "UTC"],
    ["a minute that is not one", "61 * * * *", "UTC"],
    ["a day that never comes", "0 0 30 2 *", "UTC"],
    ["a zone that is not one", "0 0 * * *", "Europe/Berlim"],
    ["nothing", "", "UTC"],
    ["a minute that is drawn anew each time", "H * * * *", "UTC"],
    ["a step that is", "0 H/6 * * *", "UTC"],
    ["a digit that is", "1H * * * *", "UTC"],
    ["a second line", "0 0 * * *\n1", "UTC"],
  ])("refuses %s", (_, line, zone) => {
    expect(() => checkCron({ line, zone })).toThrow(/cron line|time zone/);
  });

  it.each([
    ["61 * * * *", 'its minute is "61". Write 0 to 59,'],
    ["0 5-25 * * *", 'its hour is "5-25". Write 0 to 23,'],
    ["0 0 0 * *", 'its day of month is "0". Write 1 to 31,'],
    ["0 0 * FOO *", 'its month is "FOO". Write 1 to 12 or JAN to DEC,'],
    ["*/0 * * * *", 'its minute is "*/0". Write 0 to 59,'],
    ["0 0 * * 1-9", 'its day of week is "1-9". Write 0 to 7'],
    ["0 0 30 2 *", "never comes: no month has such a day."],
  ])("says of %s what is wrong in words of its own", (line, words) => {
    expect(() => checkCron({ line, zone: "UTC" })).toThrow(words);
  });

  it("takes names of months and days, Thursday too", () => {
    checkCron({ line: "0 9 * MAR,oct Thu", zone: "UTC" });
  });

  it("counts what passed, and keeps the newest of it", () => {
    const cron = { line: "0 * * * *", zone: "UTC" };
    const passed = passedTimes(cron, { first: at("2026-11-20T00:00:00Z"), now: at("2026-11-20T05:30:00Z"), keep: 2 });
    expect({ ...passed, times: passed.times.map(text) }).toEqual({
      times: ["2026-11-20T04:00:00.000Z", "2026-11-20T05:00:00.000Z"],
      more: 4,
      next: at("2026-11-20T06:00:00Z"),
    });
  });

  it("takes a time that is now as passed", () => {
    const now = at("2026-11-20T05:00:00Z");
    expect(passedTimes({ line: "0 * * * *", zone: "UTC" }, { first: now, now, keep: 10 })).toMatchObject({ times: [now], more: 0 });
  });

  it("takes the time that was announced as one, whatever the line says by now", () => {
    const [first, now] = [at("2026-11-20T05:07:00Z"), at("2026-11-20T06:30:00Z")];
    const cron = { line: "0 * * * *", zone: "UTC" };
    expect(passedTimes(cron, { first, now: first + 500, keep: 1 })).toMatchObject({ times: [first], more: 0 });
    expect(passedTimes(cron, { first, now, keep: 1 })).toMatchObject({ times: [at("2026-11-20T06:00:00Z")], more: 1 });
  });
});

describe("times that passed", () => {
  it.each([
    ["spring", "30 2 * * *", "2027-03-26T01:30:00Z", "2027-03-30T12:00:00Z"],
    ["autumn", "30 2 * * *", "2026-10-23T00:30:00Z", "2026-10-27T12:00:00Z"],
    ["autumn, each quarter of an hour", "*/15 * * * *", "2026-10-24T20:00:00Z", "2026-10-25T04:10:00Z"],
    ["a year of a sparse line", "0 9 1 * *", "2026-01-01T08:00:00Z", "2027-01-15T12:00:00Z"],
  ])("are those that would have come one by one: %s", (_, line, from, until) => {
    const [first, now] = [at(from), at(until)];
    const single: number[] = [];
    for (let time = first; time <= now; time = nextTime({ line, zone }, time)) single.push(time);
    expect(passedTimes({ line, zone }, { first, now, keep: 1_000 })).toMatchObject({ times: single, more: 0 });
    expect(passedTimes({ line, zone }, { first, now, keep: 3 })).toMatchObject({ times: single.slice(-3), more: single.length - 3 });
  });

  it.each([
    ["spring", "2027-03-28T00:00:00Z", "2027-03-28T03:00:00Z"],
    ["autumn", "2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z"],
  ])("are the same whenever one asks: %s", (_, from, until) => {
    for (const line of ["30 2 * * *", "15 3 * * *", "*/20 * * * *", "5 2,3 * * *"]) {
      const whole = passedTimes({ line, zone }, { first: at(from) - 86_400_000, now: at(until), keep: 1_000 }).times;
      for (let now = at(from); now < at(until); now += 300_000)
        expect([line, text(now), nextTime({ line, zone }, now)]).toEqual([
          line,
          text(now),
          whole.find((time) => time > now) ?? expect.any(Number),
        ]);
    }
  });

  it("are counted only so far after years of every minute", () => {
    const passed = passedTimes(
      { line: "* * * * *", zone },
      { first: at("2020-01-01T00:00:00Z"), now: at("2026-01-01T00:00:30Z"), keep: 10 },
    );
    expect(passed.times.at(-1)).toBe(at("2026-01-01T00:00:00Z"));
    expect(passed.more).toBe(10_000);
  });
});
