export interface OidcTokens {
  /** Verified by the library before a profile is asked for. */
  readonly idToken?: string | undefined;
  readonly accessToken?: string | undefined;
}

/** What an OpenID Connect server says of a person, with the names that the library looks for. */
type Profile = Record<string, unknown> & {
  readonly id: string;
  readonly sub: string;
  readonly email: string;
  readonly emailVerified: boolean;
};

/**
 * Who the ID token is about. What it leaves out the userinfo endpoint says, which counts only when it is about the same subject (OpenID Connect
 * Core section 5.3.2): otherwise an access token of somebody else would make the person somebody else.
 */
export async function readOidcProfile(discoveryUrl: string, { idToken, accessToken }: OidcTokens): Promise<Profile | null> {
  const claims = claimsOf(idToken);
  if (typeof claims?.sub !== "string") return null;
  if (typeof claims.email === "string") return toProfile(claims.sub, claims);
  const { userinfo_endpoint: endpoint } = (await readJson(discoveryUrl)) ?? {};
  if (typeof endpoint !== "string" || accessToken === undefined) return null;
  const said = await readJson(endpoint, { authorization: `Bearer ${accessToken}` });
  return said?.sub === claims.sub ? toProfile(claims.sub, { ...claims, ...said }) : null;
}

function claimsOf(idToken: string | undefined): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(idToken?.split(".")[1] ?? "", "base64url").toString("utf8")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function toProfile(sub: string, said: Record<string, unknown>): Profile | null {
  const { email, email_verified: emailVerified, name, picture } = said;
  if (typeof email !== "string") return null;
  return {
    ...said,
    id: sub,
    sub,
    email,
    emailVerified: emailVerified === true,
    name: typeof name === "string" ? name : email,
    image: picture,
  };
}

async function readJson(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown> | undefined> {
  const answer = await fetch(url, {
    headers: { accept: "application/json", ...headers },
    redirect: "error",
    signal: AbortSignal.timeout(10_000),
  });
  return answer.ok ? ((await answer.json()) as Record<string, unknown>) : undefined;
}
