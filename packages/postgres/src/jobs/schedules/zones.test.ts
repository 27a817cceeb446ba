import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";
import { checkCron, nextTime, passedTimes } from "./cron.ts";
import { ZoneClocks } from "./zone-clocks.ts";

const at = (text: string) => Date.parse(text);
const text = (time: number) => new Date(time).toISOString().replace(":00.000Z", "Z");

function times(line: string, zone: string, { from, count }: { readonly from: string; readonly count: number }): string[] {
  const found: string[] = [];
  for (let time = at(from); found.length < count; found.push(text(time))) time = nextTime({ line, zone }, time);
  return found;
}

describe("clocks that change by other than an hour", () => {
  test.each<[name: string, cron: readonly [zone: string, line: string], from: string, expected: readonly string[]]>([
    ["half an hour is skipped", ["Australia/Lord_Howe", "15 2 * * *"], "2027-10-01T20:00Z", ["2027-10-02T15:45Z", "2027-10-03T15:15Z"]],
    [
      "half an hour is skipped, each quarter",
      ["Australia/Lord_Howe", "*/15 * * * *"],
      "2027-10-02T15:10Z",
      ["2027-10-02T15:15Z", "2027-10-02T15:30Z", "2027-10-02T15:45Z", "2027-10-02T16:00Z"],
    ],
    [
      "half an hour is skipped, in order",
      ["Australia/Lord_Howe", "20,35 2 * * *"],
      "2027-10-02T00:00Z",
      ["2027-10-02T15:35Z", "2027-10-02T15:50Z", "2027-10-03T15:20Z"],
    ],
    ["half an hour is repeated", ["Australia/Lord_Howe", "45 1 * * *"], "2027-04-02T20:00Z", ["2027-04-03T14:45Z", "2027-04-04T15:15Z"]],
    [
      "half an hour is repeated, each hour",
      ["Australia/Lord_Howe", "45 * * * *"],
      "2027-04-03T14:00Z",
      ["2027-04-03T14:45Z", "2027-04-03T15:15Z", "2027-04-03T16:15Z"],
    ],
    [
      "the morning after half an hour",
      ["Australia/Lord_Howe", "0 9 * * *"],
      "2027-04-02T22:00Z",
      ["2027-04-03T22:30Z", "2027-04-04T22:30Z"],
    ],
    ["two hours are skipped", ["Antarctica/Troll", "30 1 * * *"], "2027-03-27T12:00Z", ["2027-03-28T01:30Z", "2027-03-28T23:30Z"]],
    [
      "two hours are repeated",
      ["Antarctica/Troll", "30 1,2 * * *"],
      "2027-10-30T12:00Z",
      ["2027-10-30T23:30Z", "2027-10-31T00:30Z", "2027-11-01T01:30Z"],
    ],
    [
      "two hours are repeated, each hour",
      ["Antarctica/Troll", "30 * * * *"],
      "2027-10-31T00:00Z",
      ["2027-10-31T00:30Z", "2027-10-31T01:30Z", "2027-10-31T02:30Z"],
    ],
    [
      "a zone moved by half an hour",
      ["America/Caracas", "45 2 * * *"],
      "2016-04-30T00:00Z",
      ["2016-04-30T07:15Z", "2016-05-01T07:15Z", "2016-05-02T06:45Z"],
    ],
    [
      "a day that does not exist",
      ["Pacific/Apia", "0 9 * * *"],
      "2011-12-29T00:00Z",
      ["2011-12-29T19:00Z", "2011-12-30T19:00Z", "2011-12-31T19:00Z"],
    ],
    [
      "a day of the month that does not exist",
      ["Pacific/Apia", "0 9 30 12 *"],
      "2011-01-01T00:00Z",
      ["2011-12-30T19:00Z", "2012-12-29T19:00Z"],
    ],
    [
      "a day of the week that does not exist",
      ["Pacific/Apia", "0 9 * * 5"],
      "2011-12-24T00:00Z",
      ["2011-12-30T19:00Z", "2012-01-05T19:00Z"],
    ],
  ])("%s: %s", (_name, [zone, line], from, expected) => {
    expect(times(line, zone, { from, count: expected.length })).toEqual(expected);
  });
});

/** Each of the machine. */
const zones = Intl.supportedValuesOf("timeZone");
const minute = 60_000;
/** Years with changes of the clocks in most zones, and with the odd ones. */
const anyTime = fc
  .oneof(fc.integer({ min: at("2026-01-01"), max: at("2030-01-01") }), fc.integer({ min: at("2007-01-01"), max: at("2017-01-01") }))
  .map((time) => Math.floor(time / minute) * minute);

test("a local time is where Temporal finds it: skipped ones after the gap, repeated ones at both", () => {
  const check = (zone: string, local: number) => {
    const plain = Temporal.PlainDateTime.from(new Date(local).toISOString().slice(0, -1));
    const [first, last] = (["earlier", "later"] as const).map((choice) => plain.toZonedDateTime(zone, { disambiguation: choice }));
    const compatible = plain.toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds;
    const isRepeated = first!.toPlainDateTime().equals(plain) && first!.epochMilliseconds !== last!.epochMilliseconds;
    const expected = isRepeated ? [first!.epochMilliseconds, last!.epochMilliseconds] : [compatible];
    expect([zone, text(local), ...new ZoneClocks(zone).timesOf(local).map(text)]).toEqual([zone, text(local), ...expected.map(text)]);
  };
  // Around each change of these zones, by the quarter of an hour.
  const changes: readonly (readonly [zone: string, change: string])[] = [
    ["Australia/Lord_Howe", "2027-10-03T02:00Z"],
    ["Australia/Lord_Howe", "2027-04-04T02:00Z"],
    ["Antarctica/Troll", "2027-03-28T01:00Z"],
    ["Antarctica/Troll", "2027-10-31T03:00Z"],
    ["America/Caracas", "2016-05-01T02:30Z"],
    ["America/Caracas", "2007-12-09T03:00Z"],
    ["Pacific/Apia", "2011-12-30T12:00Z"],
    ["Europe/Berlin", "2027-03-28T02:00Z"],
  ];
  for (const [zone, change] of changes)
    for (let local = at(change) - 600 * minute; local < at(change) + 600 * minute; local += 15 * minute) check(zone, local);
  fc.assert(fc.property(fc.constantFrom(...zones), anyTime, check), { numRuns: 60 });
});

/** A field of a line, of numbers, ranges, lists and steps. */
function field(min: number, max: number): fc.Arbitrary<string> {
  const number = fc.integer({ min, max });
  const range = fc.tuple(number, number).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`);
  const step = fc.tuple(fc.oneof(fc.constant("*"), range), fc.integer({ min: 1, max: max - min })).map((parts) => parts.join("/"));
  const list = fc.array(fc.oneof(number.map(String), range), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(","));
  return fc.oneof({ weight: 3, arbitrary: fc.constant("*") }, list, range, step);
}
const anyLine = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7)).map((fields) => fields.join(" "));

test("each line that is accepted has a next time that is later, the same from wherever one asks, in every zone", () => {
  const check = (line: string, zone: string, after: number) => {
    const cron = { line, zone };
    try {
      checkCron(cron);
    } catch (error) {
      expect(String(error)).toContain("cron line");
      return;
    }
    const next = nextTime(cron, after);
    expect(next).toBeGreaterThan(after);
    expect(nextTime(cron, next - 1)).toBe(next);
    expect(nextTime(cron, next)).toBeGreaterThan(next);
    expect(passedTimes(cron, { first: next, now: next, keep: 3 }).times).toEqual([next]);
  };
  for (const zone of zones) check("15 2 * * *", zone, at("2027-04-03T13:20Z"));
  fc.assert(fc.property(anyLine, fc.constantFrom(...zones), anyTime, check), { numRuns: 50 });
});

test("times of a line come in order, each once, through changes of the clocks", () => {
  for (const zone of ["Australia/Lord_Howe", "Antarctica/Troll", "Europe/Berlin", "America/Santiago"])
    for (const line of ["10,40 1-3 * * *", "*/20 * * * *"]) {
      const cron = { line, zone };
      const { times } = passedTimes(cron, { first: at("2027-03-27T00:00Z"), now: at("2027-04-05T00:00Z"), keep: 10_000 });
      expect([...new Set(times)].sort((left, right) => left - right)).toEqual(times);
    }
});
