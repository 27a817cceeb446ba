import { type Authentication, OAuthError, OAuthErrorCode, oauthAccess } from "@toolwright/doors/mcp";
import { ANSWER_APPROVALS, type Principal } from "@toolwright/engine";
import { type Identified, type IdentityAdmin, type KeyProblem, looksLikeKey } from "@toolwright/engine/ports";
import type { SignIn } from "@toolwright/sign-in";
import { answerScope, toolScope } from "@toolwright/sign-in/scopes";

const keyProblems: Readonly<Record<KeyProblem, string>> = {
  unknown: "The API key is unknown or mistyped. Ask the operator for one: toolwright keys create",
  revoked: "The API key was revoked. Ask the operator for another one: toolwright keys create",
  expired: "The API key has expired. Ask the operator for another one: toolwright keys create",
  suspended: "The tenant of the API key is suspended. Ask the operator: toolwright tenants resume",
};

/** Keys of tenants first, and everything else as `others` says. */
export function withKeys(identity: Pick<IdentityAdmin, "examineKey">, others: Authentication): Authentication {
  return {
    ...others,
    async authenticate(token, request) {
      if (token === undefined || !looksLikeKey(token)) return others.authenticate(token, request);
      const identified = await identity.examineKey(token);
      if (typeof identified === "string") throw new OAuthError(OAuthErrorCode.InvalidToken, keyProblems[identified]);
      return atMcp(identified);
    },
  };
}

/** A key is a program's: nobody is there to be asked, unless it was made to answer approvals, and for no agent (R-AP-6). */
export function isPersonThere({ key, agent, permissions }: Pick<Principal, "key" | "agent" | "permissions">): boolean {
  return key === undefined || (agent === undefined && permissions.includes(ANSWER_APPROVALS));
}

/** Access tokens that people gave to clients. Without the scope for approvals a client is asked for none and answers none (R-AP-11). */
export function withAccessTokens(signIn: SignIn, identity: IdentityAdmin, resource: string): Authentication {
  return oauthAccess({
    resource: new URL(resource),
    scopes: [toolScope],
    verifier: {
      async verifyAccessToken(token) {
        const known = await signIn.identifyAccessToken(token);
        if (!known) throw new OAuthError(OAuthErrorCode.InvalidToken, "The token is unknown, expired or revoked.");
        const audience = known.resources.find((each) => each === resource) ?? known.resources[0];
        return {
          // The token goes no further than this (R-MC-7).
          token: "",
          clientId: known.client,
          scopes: [...known.scopes],
          expiresAt: Math.floor(known.expiresAt / 1000),
          ...(audience !== undefined && { resource: new URL(audience) }),
          extra: { user: known.user, tenant: known.tenant },
        };
      },
    },
    async principalOf({ scopes, extra }) {
      const identified = await identity.identifyMember({ tenant: String(extra?.tenant), user: String(extra?.user) });
      if (!identified) return undefined;
      if (scopes.includes(answerScope)) return atMcp(identified);
      return { ...atMcp(identified), permissions: identified.permissions.filter((each) => each !== ANSWER_APPROVALS), interactive: false };
    },
  });
}

function atMcp(identified: Identified): Principal {
  return { ...identified, door: "mcp", source: "mcp", ...(!isPersonThere(identified) && { interactive: false }) };
}
