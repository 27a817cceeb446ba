import { useEffect, useState } from "react";
import { serverNow } from "./clock.ts";

/** The server's time, told anew after each interval. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** The longest that a timer of a browser waits. */
const longestMs = 2 ** 31 - 1;

/** Whether a time has come; it is told when it comes. */
export function useIsPast(at: number): boolean {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (now >= at) return undefined;
    const timer = setTimeout(() => setNow(serverNow()), Math.min(at - now, longestMs));
    return () => clearTimeout(timer);
  }, [at, now]);
  return now >= at;
}
