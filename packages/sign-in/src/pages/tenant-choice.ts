import type { Membership } from "@toolwright/engine/ports";
import type { MemberDirectory } from "../directories.ts";
import { html } from "../html/html.ts";
import type { Person, SignIn } from "../sign-in.ts";

/** The tenants of a person, of which a session acts in one. */
export function describeTenants(tenants: readonly Membership[], { tenant: current }: Person) {
  if (tenants.length === 0) return html`<p>You belong to no tenant. Ask for an invitation.</p>`;
  const hasChosen = tenants.some(({ tenant }) => tenant === current);
  return html`${!hasChosen && html`<p>Choose the tenant that you act in.</p>`}<ul class="rows">${tenants.map((each) => describeTenant(each, current))}</ul>`;
}

function describeTenant({ tenant, name, role }: Membership, current: string | undefined) {
  const isCurrent = tenant === current;
  const act = isCurrent
    ? html`<span class="dim">You act in it</span>`
    : html`<form method="post" action="/auth/tenant"><input type="hidden" name="tenant" value="${tenant}"><button>Act in <bdi>${name}</bdi></button></form>`;
  return html`<li${isCurrent && html` aria-current="true"`}><div><strong><bdi>${name}</bdi></strong>: ${role}${name !== tenant && html`<p class="dim small">${tenant}</p>`}</div>${act}</li>`;
}

/** For the console; null for who is not signed in. No other site reads it: the answer allows none, and the cookie stays away from its requests. */
export async function describePerson(
  { signIn, identity }: { readonly signIn: SignIn; readonly identity: MemberDirectory },
  request: Request,
): Promise<Response> {
  const person = await signIn.personOf(request);
  const tenants = person && (await identity.membershipsOf(person.user)).map(({ tenant, name }) => ({ tenant, name }));
  return Response.json(person ? { name: person.name, tenants } : null, {
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });
}
