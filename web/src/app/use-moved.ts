import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

const tabs = new BroadcastChannel("toolwright.tenant");

/** Has the other tabs ask who they act for. Those that nobody looks at ask when somebody does. */
export const tellOtherTabs = () => tabs.postMessage("");

interface Now {
  readonly tenant: string | undefined;
  readonly isSignedOut: boolean;
}

/** The tenant that this page was opened in, once the session acts in another one. */
export function useMoved({ tenant, isSignedOut }: Now): string | undefined {
  const queries = useQueryClient();
  const [opened, setOpened] = useState<string>();
  // Whoever signs in next begins anew.
  const next = isSignedOut ? undefined : (opened ?? tenant);
  if (next !== opened) setOpened(next);
  useEffect(() => {
    const ask = () => void queries.invalidateQueries({ queryKey: ["principals.current"] });
    tabs.addEventListener("message", ask);
    return () => tabs.removeEventListener("message", ask);
  }, [queries]);
  return opened === tenant ? undefined : opened;
}
