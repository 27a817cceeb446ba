import { focusManager, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

const tabs = new BroadcastChannel("toolwright.tenant");

/** Has the other tabs ask who they act for. Those that nobody looks at ask when somebody does. */
export const tellOtherTabs = () => tabs.postMessage("");

/** Asks who the page acts for when another tab says so, and when somebody looks at it again: an answer on its way may be about the person before. */
export function useOtherTabs(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const ask = () => void queries.invalidateQueries({ queryKey: ["principals.current"] });
    tabs.addEventListener("message", ask);
    const unsubscribe = focusManager.subscribe((isLookedAt) => isLookedAt && ask());
    return () => {
      tabs.removeEventListener("message", ask);
      unsubscribe();
    };
  }, [queries]);
}
