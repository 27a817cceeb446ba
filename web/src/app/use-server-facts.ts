import { useQuery } from "@tanstack/react-query";

/** What the server says of itself to everybody. */
export interface ServerFacts {
  /** Which build of the console it serves. */
  readonly build?: string;
  /** Whether people have accounts here. */
  readonly peopleSignIn?: boolean;
}

export async function readServerFacts(): Promise<ServerFacts> {
  return (await (await fetch("/console.json", { cache: "no-store" })).json()) as ServerFacts;
}

export function useServerFacts(): ServerFacts {
  const { data } = useQuery({ queryKey: ["console.json"], queryFn: readServerFacts, staleTime: 60_000 });
  return data ?? {};
}
