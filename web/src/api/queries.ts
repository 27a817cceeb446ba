import { QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";
// These add the types of their operations to those of the client.
import type {} from "@toolwright/agents/subjects";
import type {} from "@toolwright/browser/subjects";
import type { OperationName, OperationTypes, OwnPermission } from "@toolwright/doors/rest/client";
import { api, RequestError } from "./client.ts";
import { isSignedOut } from "./words.ts";

export type { OperationName, OperationTypes, OwnPermission };

/** What an operation answers, and one item of it where it is a list. */
export type Answer<Name extends OperationName> = OperationTypes[Name]["output"];
export type Item<Name extends OperationName> = Answer<Name> extends { readonly items: readonly (infer One)[] } ? One : never;

/** What every page shares. An answer that says no is not asked again; a lost connection is. */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => queryKey[0] !== "principals.current" && askWhoIsThere(error),
    onSuccess: (data, { queryKey }) => queryKey[0] === "principals.current" && showTo((data as WhoIsThere).me),
  }),
  defaultOptions: {
    queries: {
      // A browser that is offline reaches a server of its own machine all the same, and one that it does not reach says so.
      networkMode: "always",
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      retry: (count, error) => count < 2 && error instanceof RequestError && (error.status === undefined || error.status >= 500),
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

type Person = Answer<"principals.current">;

/** What the query of `principals.current` holds. */
export interface WhoIsThere {
  /** For whom the page is: it stays theirs when their session goes on in another tenant, chosen in another tab. */
  readonly me: Person;
  readonly now: Person;
}

/** Tells two people apart, and one person in two tenants. */
export const nameOf = ({ tenant, actor, agent }: Person) => JSON.stringify([tenant, actor.kind, actor.id, agent]);

let shownTo: string | undefined;

/** Another tab signed in as somebody else: what was read before is nothing of theirs. */
function showTo(person: Person): void {
  const name = nameOf(person);
  const isOther = shownTo !== undefined && shownTo !== name;
  shownTo = name;
  if (isOther) void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== "principals.current" });
}

/** Whoever is refused for being nobody is asked to sign in: the session ended. */
export function askWhoIsThere(error: unknown): void {
  if (isSignedOut(error)) void queries.invalidateQueries({ queryKey: ["principals.current"] });
}

/** An operation that reads, as a query: its key is its name and input. */
export function reading<Name extends OperationName>(name: Name, input: OperationTypes[Name]["input"]) {
  return queryOptions({
    queryKey: [name, input] as const,
    queryFn: ({ signal }) => api().operate(name, input, { signal }),
  });
}

/** Does an operation that writes; what it changed is read anew: every query whose operation has one of these beginnings (`approvals.`). */
export async function write<Name extends OperationName>(
  name: Name,
  input: OperationTypes[Name]["input"],
  changes: readonly string[] = [`${name.slice(0, name.indexOf(".") + 1)}`],
): Promise<Answer<Name>> {
  try {
    return await api().operate(name, input);
  } catch (error) {
    askWhoIsThere(error);
    throw error;
  } finally {
    for (const beginning of changes)
      void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => typeof first === "string" && first.startsWith(beginning) });
  }
}
