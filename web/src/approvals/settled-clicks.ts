import { useCallback, useEffect, useRef } from "react";

const settledMs = 500;

/**
 * Whether a press is meant: what appeared or moved under a pointer less than half a second ago was not there when the finger began to fall.
 * Give the returned ref to the card; what it holds moves with it, or by itself when something above it grows.
 */
export function useSettled() {
  const card = useRef<HTMLElement>(null);
  const since = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    let last: string | undefined;
    let frame: number;
    const look = () => {
      const parts = [card.current, ...(card.current?.querySelectorAll("[data-acts]") ?? [])];
      const places = parts.map((part) => part?.getBoundingClientRect().top).join();
      if (places !== last) since.current = performance.now();
      last = places;
      frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, []);
  const isSettled = useCallback(() => performance.now() - since.current >= settledMs, []);
  return { card, isSettled };
}
