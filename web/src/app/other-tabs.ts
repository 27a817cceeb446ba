import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

const tabs = new BroadcastChannel("toolwright.tenant");

/** Has the other tabs ask who they act for. Those that nobody looks at ask when somebody does. */
export const tellOtherTabs = () => tabs.postMessage("");

export function useOtherTabs(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const ask = () => void queries.invalidateQueries({ queryKey: ["principals.current"] });
    tabs.addEventListener("message", ask);
    return () => tabs.removeEventListener("message", ask);
  }, [queries]);
}
