import { type MouseEvent, useCallback, useEffect, useRef, useState } from "react";

const settledMs = 500;

/**
 * Keeps presses away that were meant for something else: what appeared or moved under a pointer less than half a second ago was not there when
 * the finger began to fall. A key presses what has the focus, wherever that is scrolled to, so for keys only what changes within the card counts.
 * Give the ref to the card; what it holds moves with it, or by itself when something above it grows. The handler is for what holds the buttons.
 */
export function useSettled() {
  const card = useRef<HTMLElement>(null);
  const [moved] = useState(createAge);
  const [changed] = useState(createAge);
  useEffect(() => {
    let frame: number;
    const look = () => {
      const parts = [card.current, ...(card.current?.querySelectorAll("[data-acts]") ?? [])];
      const places = parts.map((part) => part?.getBoundingClientRect().top ?? 0);
      moved.look(places.join());
      changed.look(places.map((place) => Math.round(place - (places[0] ?? 0))).join());
      frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [moved, changed]);
  const onClickCapture = useCallback(
    (event: MouseEvent) => {
      const isByKey = event.detail === 0;
      if ((isByKey ? changed : moved).inMs() < settledMs) event.stopPropagation();
    },
    [moved, changed],
  );
  return { card, onClickCapture };
}

/** How long something is as it is. */
function createAge() {
  let last: string | undefined;
  let since = performance.now();
  return {
    look(now: string) {
      if (now !== last) since = performance.now();
      last = now;
    },
    inMs: () => performance.now() - since,
  };
}
