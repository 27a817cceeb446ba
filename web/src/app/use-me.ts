import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import { type OwnPermission, queries, type WhoIsThere } from "../api/queries.ts";

const queryKey = ["principals.current"];
const whoIsThere = queryOptions({
  queryKey,
  async queryFn({ signal }): Promise<WhoIsThere> {
    const now = await api().operate("principals.current", {}, { signal });
    const opened = queries.getQueryData<WhoIsThere>(queryKey)?.me;
    const isMoved = opened !== undefined && opened.actor.id === now.actor.id && opened.tenant !== now.tenant;
    return { me: isMoved ? opened : now, now };
  },
  staleTime: 60_000,
  // `useOtherTabs` asks then.
  refetchOnWindowFocus: false,
});

/** Asks anew, as a page that was just opened. */
export const startAnew = () => void queries.resetQueries({ queryKey });

/** Who the page acts for. `may` is for what is shown: the server decides again. */
export function useMe() {
  const { data, error, refetch } = useQuery(whoIsThere);
  const { me, now } = data ?? {};
  return {
    ...{ me, error, refetch },
    /** The tenant that the session acts in now, where it is another one than the page's. */
    movedTo: now?.tenant === me?.tenant ? undefined : now?.tenant,
    may: (permission: OwnPermission) => me?.permissions.includes(permission) === true,
  };
}
