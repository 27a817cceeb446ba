import { CliError } from "../cli-error.ts";
import { readDate } from "./read-date.ts";

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
