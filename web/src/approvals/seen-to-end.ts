import { useCallback, useState } from "react";

const tolerance = 2;

export interface SeenToEnd {
  readonly isSeen: boolean;
  /** The ref of every element that scrolls. */
  readonly watch: (element: HTMLElement | null) => (() => void) | undefined;
}

/** Whether each text that does not fit was scrolled to its end. */
export function useSeenToEnd(): SeenToEnd {
  const [unseen, setUnseen] = useState<ReadonlySet<Element>>(new Set());
  const watch = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const drop = () => {
      delete element.dataset.unseen;
      setUnseen((now) => (now.has(element) ? new Set([...now].filter((each) => each !== element)) : now));
    };
    const look = () => {
      // What is not laid out shows nothing.
      if (element.clientHeight === 0 || element.scrollTop + element.clientHeight < element.scrollHeight - tolerance) return;
      stop();
      drop();
    };
    const resized = new ResizeObserver(look);
    const stop = () => {
      element.removeEventListener("scroll", look);
      resized.disconnect();
    };
    element.dataset.unseen = "yes";
    setUnseen((now) => new Set([...now, element]));
    element.addEventListener("scroll", look, { passive: true });
    resized.observe(element);
    look();
    return () => {
      stop();
      drop();
    };
  }, []);
  return { isSeen: unseen.size === 0, watch };
}
