import { CliError } from "../cli-error.ts";

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A point in time to come, in milliseconds since the epoch: ISO 8601 (`2026-12-01T09:00`, local when it names no offset) or a distance (`+90m`). */
export function readFuture(text: string, now: number): number {
  const distance = /^\+(\d{1,9})([smhd])$/.exec(text);
  if (distance) return now + Number(distance[1]) * units[distance[2] as keyof typeof units];
  const time = readDate(text);
  if (Number.isNaN(time)) throw new CliError(`"${text}" is not a time. Write one like 2026-12-01T09:00, 2026-12-01T09:00Z or +90m.`);
  if (time < now) throw new CliError(`"${text}" has passed already. Write a time to come, or a distance such as +90m.`);
  return time;
}

/** A time span (30m, 12h, 7d) before now, or a date (2026-01-31, or with a time) that has come, in milliseconds since the epoch. */
export function readPast(option: string, text: string, now = Date.now()): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * units[unit as keyof typeof units];
  const at = readDate(text);
  if (Number.isNaN(at)) throw new CliError(`${option} ${text} is not a time. Write 30m, 12h, 7d, or a date such as 2026-01-31.`);
  if (at > now) throw new CliError(`${option} ${text} has not come yet. Write a time before now: 30m, 12h, 7d, or a date.`);
  return at;
}

/**
 * ISO 8601 in milliseconds since the epoch: a time that names no offset is local, a date alone begins as in UTC. NaN for what is no date,
 * and for days that there are not: `Date` would take February 31 for March 3.
 */
function readDate(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]|$)/.exec(text) ?? [];
  if (day === undefined) return Number.NaN;
  const isThere = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return isThere ? Date.parse(text) : Number.NaN;
}
