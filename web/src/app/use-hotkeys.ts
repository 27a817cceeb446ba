import { useEffect, useRef } from "react";

interface Actions {
  readonly palette: () => void;
  readonly keys: () => void;
}

/** Single letters belong to whoever types. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}

/** Keys that work on every page. */
export function useHotkeys(actions: Actions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        latest.current.palette();
      } else if (event.key === "?" && !isTyping(event.target)) latest.current.keys();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
