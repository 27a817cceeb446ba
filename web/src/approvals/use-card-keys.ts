import { useEffect } from "react";
import { isTyping } from "../app/use-hotkeys.ts";

/** `j` and `k` go from card to card, `a` to what is not read to its end, else to Approve, `d` to Deny; Enter presses what has the focus. */
export function useCardKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const cards = [...document.querySelectorAll<HTMLElement>("[data-approval]")];
      const at = cards.findIndex((card) => card.contains(document.activeElement));
      const card = cards[Math.max(0, at)];
      if (event.key === "j" || event.key === "k") {
        const next = cards[Math.min(cards.length - 1, Math.max(0, at + (event.key === "j" ? 1 : -1)))];
        next?.focus();
      } else if (event.key === "a") card?.querySelector<HTMLElement>("[data-unseen], [data-act=approve]")?.focus();
      else if (event.key === "d") card?.querySelector<HTMLElement>("[data-act=deny]")?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
