import { createRequire } from "node:module";
import { refuseJob } from "../refuse-job.ts";
import { ZoneClocks } from "./zone-clocks.ts";

/** A cron line of five fields, in a time zone. */
interface Cron {
  readonly line: string;
  readonly zone: string;
}

/** Throws for a line or zone that cannot be kept to, with what is wrong. */
export function checkCron({ line, zone }: Cron): void {
  const fields = line.trim().split(/\s+/).length;
  if (!/^[\w*/,?#\s-]+$/.test(line) || fields !== 5)
    throw refuseJob(
      `"${line}" is not a cron line: write five fields, minute, hour, day of month, month, day of week, as in "30 9 * * 1-5".`,
    );
  // The parser reads H as a number of its own choice, and chooses anew each time. Thursday is none.
  if (/h/i.test(line.replaceAll(/thu/gi, "")))
    throw refuseJob(`"${line}" is not a cron line that can be kept to: H stands for no time of its own. Write the number itself.`);
  if (!isKnownZone(zone)) throw refuseJob(`"${zone}" is not a time zone. Use a name of the IANA list, such as Europe/Berlin.`);
  if (!comes({ line, zone })) throw refuseJob(explainRefusal({ line, zone }));
}

/** False for a zone that the time zone data of this machine does not have; that of another machine may have it. */
export function isKnownZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Why a schedule that was made where its zone is known waits on this machine, and what to do. */
export function explainUnknownZone(zone: string): string {
  return `This machine does not know its time zone "${zone}", so it waits. It goes on by itself on a machine or with a version of Node that knows it, or make it again in another zone.`;
}

/** In the order of a line. */
const fieldRanges = [
  ["minute", "0 to 59"],
  ["hour", "0 to 23"],
  ["day of month", "1 to 31"],
  ["month", "1 to 12 or JAN to DEC"],
  ["day of week", "0 to 7 or SUN to SAT, where 0 and 7 are Sunday"],
] as const;

/** Each field is tried alone, between fields that stand for every time. */
function explainRefusal({ line, zone }: Cron): string {
  for (const [index, field] of line.trim().split(/\s+/).entries()) {
    const alone = fieldRanges.map((_, at) => (at === index ? field : "*")).join(" ");
    if (comes({ line: alone, zone })) continue;
    const [name, range] = fieldRanges[index] as (typeof fieldRanges)[number];
    return `"${line}" is not a cron line: its ${name} is "${field}". Write ${range}, as a number, a list (1,3), a range (1-5), or with a step (*/2).`;
  }
  return `The cron line "${line}" never comes: no month has such a day.`;
}

function comes(cron: Cron): boolean {
  try {
    nextTime(cron, Date.now());
    return true;
  } catch {
    return false;
  }
}

/**
 * The first time after one, in milliseconds. A local time that the clocks skip comes at the same distance after the gap (02:30 at 03:30); one
 * that they repeat comes once, but lines that run every so many minutes or hours run in both.
 */
export function nextTime(cron: Cron, after: number): number {
  const { value } = walk(cron, after + 1, Number.POSITIVE_INFINITY).next();
  // Only a walk without an end comes here: the parser throws when there is no further time.
  return value as number;
}

interface PassedTimes {
  /** The newest of the times, oldest first. */
  readonly times: readonly number[];
  /** How many more there were. */
  readonly more: number;
  /** The first time that is still to come. */
  readonly next: number;
}

const day = 24 * 60 * 60 * 1000;

/** Times from `first`, which is one of them, until `now`; at most `keep` of them. After long downtime of a frequent line `more` is a lower bound. */
export function passedTimes(
  cron: Cron,
  { first, now, keep }: { readonly first: number; readonly now: number; readonly keep: number },
): PassedTimes {
  let times: readonly number[] = [];
  // Always forward: the parser's way back takes other times where the clocks change.
  for (let span = day; ; span *= 8) {
    const start = Math.max(first, now - span);
    times = [...(start === first ? walkFrom(cron, first, now + 1) : walk(cron, start, now + 1))];
    if (times.length >= keep || start === first) break;
  }
  const kept = times.slice(-keep);
  return { times: kept, more: countBetween(cron, first, kept[0] ?? now), next: nextTime(cron, now) };
}

const mostCounted = 10_000;

function countBetween(cron: Cron, first: number, end: number): number {
  let count = 0;
  for (const _ of walkFrom(cron, first, end)) if (++count === mostCounted) break;
  return count;
}

/** Times from one on which is one itself, whatever is known of the line and its zone by now, until before another. */
function* walkFrom(cron: Cron, first: number, until: number): Generator<number, undefined> {
  if (first < until) yield first;
  return yield* walk(cron, first + 1, until);
}

/** Times from one on until before another, in order, each once. */
function* walk({ line, zone }: Cron, from: number, until: number): Generator<number, undefined> {
  // Only where a schedule is looked at: it brings a library of dates along.
  const { CronExpressionParser } = createRequire(import.meta.url)("cron-parser") as typeof import("cron-parser");
  const clocks = new ZoneClocks(zone);
  // The line is a pattern of local times, and a local time is read here as if it were UTC: what the clocks of the zone do is no matter of the parser.
  const locals = CronExpressionParser.parse(line, { tz: "UTC", currentDate: new Date(clocks.firstLocal(from) - 1) });
  const isHourly = locals.fields.hour.values.length === 24;
  const timesOf = (local: number) => (isHourly ? clocks.timesOf(local) : clocks.timesOf(local).slice(0, 1));
  const next = () => locals.next().getTime();
  for (let local = next(); ; ) {
    const mixed = clocks.mixedUntil(local);
    const times = new Set(timesOf(local));
    local = next();
    for (; mixed !== undefined && local < mixed; local = next()) for (const time of timesOf(local)) times.add(time);
    for (const time of [...times].sort((left, right) => left - right)) {
      if (time >= until) return undefined;
      if (time >= from) yield time;
    }
  }
}
