import { queryOptions } from "@tanstack/react-query";

/** The person whose cookie the browser has. */
export interface SignedInPerson {
  readonly name: string;
  readonly tenants: readonly { readonly tenant: string; readonly name: string }[];
}

/** Null where nobody signed in. Only servers where people have accounts know it. */
export const signedInPerson = queryOptions({
  queryKey: ["auth/person"],
  queryFn: async ({ signal }) => {
    const response = await fetch("/auth/person", { cache: "no-store", signal });
    return (await response.json()) as SignedInPerson | null;
  },
  staleTime: 60_000,
});

/** The session acts in that tenant from here on, in every tab. Rejects when the person does not belong to it. */
export async function actIn(tenant: string): Promise<void> {
  const { ok } = await fetch("/auth/tenant", { method: "POST", body: new URLSearchParams({ tenant }) });
  if (!ok) throw new Error("You do not belong to that tenant any more, or it is suspended. Choose another one.");
}
