import { oauthProvider } from "@better-auth/oauth-provider";
import { type Clock, sha256, systemClock } from "@toolwright/engine/ports";
import { APIError, type BetterAuthOptions } from "better-auth";
import { createAuthMiddleware } from "better-auth/api";
import { genericOAuth } from "better-auth/plugins";
import { CamelCasePlugin } from "kysely";
import { wordsOfLog } from "./answer-failures.ts";
import { chosenTenant } from "./chosen-tenant.ts";
import { clientDocuments, type ReadDocument } from "./client-documents.ts";
import { checkClient } from "./client-first.ts";
import type { MemberDirectory } from "./directories.ts";
import { type OidcServer, oidcConfig } from "./oidc-config.ts";
import { refreshTokenPrefix, refuseRefresh } from "./refuse-refresh.ts";
import { oauthScopes } from "./scopes.ts";
import { storedCredentials } from "./stored-credentials.ts";
import type { SignInHandle } from "./tables.ts";

export interface SignInOptions {
  /** Origin under which people and clients reach this server. */
  readonly origin: string;
  /** What access tokens are for: the URL of the MCP door. */
  readonly resource: string;
  /** Signs cookies; at least 32 characters, the same in every process. */
  readonly secret: string;
  readonly oidc?: OidcServer | undefined;
  /** Reads what clients say of themselves at an address of their own; without it they register. */
  readonly readDocument?: ReadDocument | undefined;
  /** Header in which the server itself puts the address of the client. */
  readonly addressHeader: string;
  readonly log: (level: "debug" | "info" | "warn" | "error", message: string) => void;
}

export const authPath = "/auth/api";
export const accessTokenPrefix = "twa_";
export const shortestPassword = 12;
export const longestPassword = 128;

const hour = 3_600;
const day = 24 * hour;
/** For one address: enough for a person who mistypes, or a few behind one router. */
const attempts = { window: 60, max: 20 };
const often = { window: 60, max: 60 };
const under = (modelName: string) => ({ modelName });

export interface AuthParts {
  readonly handle: SignInHandle;
  readonly identity: MemberDirectory;
  readonly clock?: Clock;
}

/** How the library is set up. Nothing here reads the environment or reaches a network by itself, but for the OpenID Connect server. */
export function authOptions({ handle, identity, clock = systemClock }: AuthParts, options: SignInOptions) {
  const secure = options.origin.startsWith("https:");
  return {
    appName: "Toolwright",
    baseURL: options.origin,
    basePath: authPath,
    secret: options.secret,
    telemetry: { enabled: false },
    database: {
      db: handle.withPlugin(new CamelCasePlugin({ maintainNestedObjectKeys: true })),
      type: "postgres",
      schemaName: "toolwright",
    },
    user: under("users"),
    session: {
      ...under("authSessions"),
      expiresIn: 7 * day,
      additionalFields: { activeTenant: { type: "string", required: false, input: false } },
    },
    account: under("authAccounts"),
    verification: under("authVerifications"),
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: shortestPassword, maxPasswordLength: longestPassword },
    rateLimit: {
      enabled: true,
      storage: "database",
      ...under("authRates"),
      customRules: { "/sign-in/*": attempts, "/change-password": attempts },
    },
    hooks: { before: refuseFirst(handle, `${options.origin}/auth/error`) },
    databaseHooks: {
      user: { create: admitInvited(identity) },
      session: { create: { before: (session) => startInTenant(identity, session) } },
    },
    advanced: {
      // Set by hand below: the library's own prefix is the weaker one.
      useSecureCookies: false,
      cookiePrefix: secure ? "__Host-toolwright" : "toolwright",
      defaultCookieAttributes: { secure, httpOnly: true, sameSite: "lax", path: "/" },
      ipAddress: { ipAddressHeaders: [options.addressHeader] },
    },
    // What breaks is thrown, for `answerFailures`: otherwise it is printed.
    onAPIError: { throw: true, errorURL: `${options.origin}/auth/error` },
    logger: {
      log: (level: "debug" | "info" | "warn" | "error" | "success", ...said: unknown[]) =>
        options.log(level === "success" ? "info" : level, wordsOfLog(said)),
    },
    plugins: [
      storedCredentials(),
      ...(options.oidc ? [genericOAuth({ config: [oidcConfig(options.oidc)] })] : []),
      oauthProvider(providerOptions(options)),
      ...(options.readDocument ? [clientDocuments({ handle, read: options.readDocument, clock })] : []),
    ],
  } satisfies BetterAuthOptions;
}

/** Asked before the library: whether the client is one, and then whether its access has ended. */
function refuseFirst(handle: SignInHandle, errorPage: string) {
  const [check, refuse] = [checkClient(errorPage), refuseRefresh(handle)];
  return createAuthMiddleware(async (ctx) => {
    await check(ctx);
    await refuse(ctx);
  });
}

/** Only for accounts of another server: whoever comes with a link is made a person by `acceptInvitation`. */
function admitInvited(identity: MemberDirectory) {
  return {
    async before({ email, emailVerified }: { readonly email: string; readonly emailVerified?: boolean | undefined }) {
      return emailVerified === true && (await identity.isInvited(email)) ? undefined : false;
    },
    async after(user: { readonly id: string; readonly email: string }) {
      await identity.acceptInvitations({ user: user.id, email: user.email });
    },
  };
}

/** The first by name; the page that asks for consent lets a person choose another. */
async function startInTenant<Session extends { readonly userId: string }>(identity: MemberDirectory, session: Session) {
  const [first] = await identity.membershipsOf(session.userId);
  return { data: { ...session, ...(first && { activeTenant: first.tenant }) } };
}

/** Tokens are opaque and looked up, so that what is revoked ends at once. */
function providerOptions({ origin, resource }: SignInOptions) {
  return {
    disableJwtPlugin: true,
    loginPage: `${origin}/auth/sign-in`,
    consentPage: `${origin}/auth/consent`,
    scopes: [...oauthScopes],
    grantTypes: ["authorization_code" as const, "refresh_token" as const],
    resources: [resource],
    clientRegistrationDefaultResources: [resource],
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
    accessTokenExpiresIn: hour,
    refreshTokenExpiresIn: 30 * day,
    rateLimit: { register: attempts, token: often, authorize: often, revoke: often },
    storeTokens: { hash: async (token: string) => sha256(token) },
    prefix: { opaqueAccessToken: accessTokenPrefix, refreshToken: refreshTokenPrefix },
    // The consent names a tenant, and so does every token that comes of it.
    postLogin: {
      page: `${origin}/auth/consent`,
      shouldRedirect: () => false,
      consentReferenceId({ session }: { readonly session: Record<string, unknown> }) {
        const tenant = chosenTenant.getStore() ?? session.activeTenant;
        if (typeof tenant !== "string") throw new APIError("FORBIDDEN", { message: "no_tenant" });
        return tenant;
      },
    },
    silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    schema: {
      oauthClient: under("oauthClients"),
      oauthResource: under("oauthResources"),
      oauthClientResource: under("oauthClientResources"),
      oauthRefreshToken: under("oauthRefreshTokens"),
      oauthAccessToken: under("oauthAccessTokens"),
      oauthConsent: under("oauthConsents"),
      oauthClientAssertion: under("oauthClientAssertions"),
    },
  };
}
