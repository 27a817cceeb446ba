import { hashOfToken } from "../state/kept-token.ts";
import type { Place } from "./place.ts";

/** Whom a server lets in beside keys of tenants: two servers of one store compare it. Of a token it tells too little to find it. */
export function describeAdmission({ auth, token }: Pick<Place, "auth" | "token">): string {
  const people = auth && `people who sign in${auth.oidc ? ` with ${auth.oidc.issuer}` : ""}`;
  const holder = token === undefined ? undefined : `who has the token ${hashOfToken(token).slice(0, 8)}`;
  const admitted = [people, holder].filter((each) => each !== undefined);
  return admitted.length === 0 ? "every program of its machine" : admitted.join(" and ");
}
