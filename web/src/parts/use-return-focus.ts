import { useEffect, useState } from "react";

/** Gives the focus back to what had it before a dialog, or to the page when that is gone. */
export function useReturnFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const target = before instanceof HTMLElement && before.isConnected ? before : document.getElementById("content");
      target?.focus({ preventScroll: true });
    },
    [before],
  );
}
