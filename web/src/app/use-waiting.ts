import { useQuery } from "@tanstack/react-query";
import { reading } from "../api/queries.ts";

/** How many calls wait for a person. */
export function useWaiting(enabled: boolean): number {
  const { data } = useQuery({ ...reading("approvals.list", {}), enabled });
  return data?.items.length ?? 0;
}
