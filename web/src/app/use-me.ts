import { useQuery } from "@tanstack/react-query";
import { reading } from "../api/queries.ts";

/** Who the page acts for. `may` is for what is shown: the server decides again. */
export function useMe() {
  const {
    data: me,
    error,
    refetch,
  } = useQuery({ ...reading("principals.current", {}), staleTime: 60_000, refetchOnWindowFocus: "always" });
  return { me, error, refetch, may: (permission: string) => me?.permissions.includes(permission) === true };
}
