import { useCallback, useEffect, useRef } from "react";

const settledMs = 500;

/**
 * Whether a press is meant: what appeared or moved under a pointer less than half a second ago was not there when the finger began to fall.
 * Give the returned ref to the card.
 */
export function useSettled() {
  const card = useRef<HTMLElement>(null);
  const since = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    let last: number | undefined;
    let frame: number;
    const look = () => {
      const top = card.current?.getBoundingClientRect().top;
      if (top !== last) since.current = performance.now();
      last = top;
      frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, []);
  const isSettled = useCallback(() => performance.now() - since.current >= settledMs, []);
  return { card, isSettled };
}
