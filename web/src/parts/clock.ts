/** Milliseconds that the clock of the server is ahead of the one here. */
let ahead = 0;

/** Milliseconds by which clocks may differ before somebody is told: times are shown to the minute. */
const tolerated = 120_000;

/** What the server says the time is (the header `Date`, to the second). */
export function learnServerTime(date: string | null, here = Date.now()): void {
  const at = Date.parse(date ?? "");
  if (!Number.isNaN(at)) ahead = Math.abs(at - here) > tolerated ? at - here : 0;
}

/** The time by the server's clock, by which everything is recorded and expires. */
export const serverNow = (): number => Date.now() + ahead;

/** One sentence where the clock here is wrong. */
export function wordsOfClock(): string | undefined {
  if (ahead === 0) return undefined;
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  const way = ahead > 0 ? "behind" : "ahead of";
  return `The clock of this device is ${minutes} minutes ${way} the server's: set it right, since exact times here are by it.`;
}
