import { useCallback, useState } from "react";

const tolerance = 2;

/** Whether each text that does not fit was scrolled to its end. Give `watch` to the element that scrolls. */
export function useSeenToEnd(): {
  readonly isSeen: boolean;
  readonly watch: (name: string) => (element: HTMLElement | null) => void;
  readonly look: (name: string, element: HTMLElement) => void;
} {
  const [unseen, setUnseen] = useState<ReadonlySet<string>>(new Set());
  const look = useCallback((name: string, element: HTMLElement) => {
    if (element.scrollTop + element.clientHeight < element.scrollHeight - tolerance) return;
    setUnseen((now) => (now.has(name) ? new Set([...now].filter((each) => each !== name)) : now));
  }, []);
  const watch = useCallback(
    (name: string) => (element: HTMLElement | null) => {
      if (!element || element.dataset.watched === "yes" || element.scrollHeight <= element.clientHeight + tolerance) return;
      element.dataset.watched = "yes";
      setUnseen((now) => new Set([...now, name]));
    },
    [],
  );
  return { isSeen: unseen.size === 0, watch, look };
}
