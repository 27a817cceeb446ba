import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type UrlState = Readonly<Record<string, string | undefined>>;

/**
 * What the page shows, as the URL says it: back, reload and a sent link show the same. `change` leaves out what is undefined or empty; `replace`
 * for what comes with every key, which nobody wants to step back through.
 */
export function useUrl(): readonly [state: UrlState, change: (members: UrlState, how?: { readonly replace?: boolean }) => void] {
  const state = useSearch({ strict: false }) as UrlState;
  const navigate = useNavigate();
  const change = useCallback(
    (members: UrlState, { replace = false } = {}) =>
      void navigate({ to: ".", search: ((now: UrlState) => ({ ...now, ...members })) as never, replace, resetScroll: false }),
    [navigate],
  );
  return [state, change];
}
