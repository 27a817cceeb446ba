import { serverNow } from "./clock.ts";
import { useNow } from "./use-now.ts";

const units: readonly (readonly [seconds: number, name: Intl.RelativeTimeFormatUnit])[] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** "2 min. ago" or "in 3 hr.", to the largest unit that is whole. */
export function wordsOfTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const [size, name] = units.find(([each]) => Math.abs(seconds) >= each) ?? [1, "second"];
  return relative.format(Math.trunc(seconds / size), name);
}

/** A time as people say it; the exact one is one hover away. */
export function When({ at, now = serverNow() }: { readonly at: number; readonly now?: number }) {
  const exact = new Date(at);
  return (
    <time dateTime={exact.toISOString()} title={exact.toLocaleString()}>
      {wordsOfTime(at, now)}
    </time>
  );
}

/** The same, kept up to date. */
export function LiveWhen({ at }: { readonly at: number }) {
  return <When at={at} now={useNow(1_000)} />;
}

/** 213 ms, 8.4 s, 3 min 20 s. */
export function wordsOfDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
