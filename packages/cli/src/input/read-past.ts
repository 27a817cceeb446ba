import { CliError } from "../cli-error.ts";

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time span (30m, 12h, 7d) before now, or a date (2026-01-31, or with a time), in milliseconds since the epoch. */
export function readPast(option: string, text: string, now = Date.now()): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * units[unit as keyof typeof units];
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new CliError(`${option} ${text} is not a time. Write 30m, 12h, 7d, or a date such as 2026-01-31.`);
  return at;
}
