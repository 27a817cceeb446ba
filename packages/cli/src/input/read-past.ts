import { CliError } from "../cli-error.ts";
import { readDate } from "./read-date.ts";

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time span (30m, 12h, 7d) before now, or a date (2026-01-31, or with a time) that has come, in milliseconds since the epoch. */
export function readPast(option: string, text: string, now = Date.now()): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * units[unit as keyof typeof units];
  const at = readDate(text);
  if (Number.isNaN(at)) throw new CliError(`${option} ${text} is not a time. Write 30m, 12h, 7d, or a date such as 2026-01-31.`);
  if (at > now) throw new CliError(`${option} ${text} has not come yet. Write a time before now: 30m, 12h, 7d, or a date.`);
  return at;
}
