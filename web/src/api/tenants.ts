import { queryOptions } from "@tanstack/react-query";

/** A tenant of the person who signed in. */
export interface OwnTenant {
  readonly tenant: string;
  readonly name: string;
}

/** The tenants of the person whose cookie the browser has; none where nobody signed in. */
export const ownTenants = queryOptions({
  queryKey: ["auth/tenants"],
  queryFn: async ({ signal }) => {
    const response = await fetch("/auth/tenants", { cache: "no-store", signal });
    return ((await response.json()) as { readonly items: readonly OwnTenant[] }).items;
  },
});

/** The session acts in that tenant from here on, in every tab. Rejects when the person does not belong to it. */
export async function actIn(tenant: string): Promise<void> {
  const { ok } = await fetch("/auth/tenant", { method: "POST", body: new URLSearchParams({ tenant }) });
  if (!ok) throw new Error("You do not belong to that tenant any more, or it is suspended. Choose another one.");
}
