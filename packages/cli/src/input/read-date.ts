/**
 * ISO 8601 in milliseconds since the epoch: a time that names no offset is local, a date alone begins as in UTC. NaN for what is no date,
 * and for days that there are not: `Date` would take February 31 for March 3.
 */
export function readDate(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]|$)/.exec(text) ?? [];
  if (day === undefined) return Number.NaN;
  const isThere = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return isThere ? Date.parse(text) : Number.NaN;
}
