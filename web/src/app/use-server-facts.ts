import { useQuery } from "@tanstack/react-query";
import { learnServerTime } from "../parts/clock.ts";

/** What the server says of itself to everybody. */
export interface ServerFacts {
  /** Which build of the console it serves. */
  readonly build?: string;
  /** Whether people have accounts here. */
  readonly peopleSignIn?: boolean;
}

export async function readServerFacts(): Promise<ServerFacts> {
  const response = await fetch("/console.json", { cache: "no-store" });
  learnServerTime(response.headers.get("date"));
  return (await response.json()) as ServerFacts;
}

export function useServerFacts(): ServerFacts {
  const { data } = useQuery({ queryKey: ["console.json"], queryFn: readServerFacts, staleTime: 60_000 });
  return data ?? {};
}
