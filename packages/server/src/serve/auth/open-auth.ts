import { type Authentication, type HashedToken, openAccess, tokenAccess } from "@toolwright/doors/mcp";
import type { Principal } from "@toolwright/engine";
import { askedPermissions } from "@toolwright/engine/catalogue";
import type { IdentityAdmin } from "@toolwright/engine/ports";
import { systemHandle } from "@toolwright/postgres";
import { publicDocuments } from "@toolwright/sandbox";
import type { authRoutes } from "@toolwright/sign-in";
import type { Toolwright } from "../../compose.ts";
import type { ServerIo } from "../../io.ts";
import { localTenant, localUser, operatorPermissions, withAskedPermissions } from "../../local-owner.ts";
import { addressHeader } from "../route.ts";
import { type AuthSettings, readAuthSecret } from "./auth-settings.ts";
import { withAccessTokens, withKeys } from "./authentication.ts";
import { withCookies } from "./cookie-access.ts";

export interface OpenedAuth {
  readonly authentication: Authentication;
  /** Admits also people who signed in with a browser, for requests of their pages. */
  readonly ofPages: Authentication;
  /** Absent when nobody signs in. */
  readonly routes?: ReturnType<typeof authRoutes>;
  readonly resourceMetadataUrl?: string;
}

const documentTimeoutMs = 5_000;

interface Wanted {
  readonly settings: AuthSettings | undefined;
  readonly token: string | HashedToken | undefined;
  /** Origin of the server as clients reach it. */
  readonly origin: string;
  readonly mcpPath: string;
}

/** Everybody who may reach the MCP door, and how they show it: keys of tenants always, then a token, a sign-in, or being on this machine. */
export async function openAuth(toolwright: Toolwright, io: ServerIo, { settings, token, origin, mcpPath }: Wanted): Promise<OpenedAuth> {
  const identity = identityOf(toolwright);
  const local = token === undefined ? undefined : tokenAccess(token, localOwner(toolwright));
  if (!settings) {
    const authentication = withKeys(identity, local ?? openAccess(localOwner(toolwright)));
    return { authentication, ofPages: authentication };
  }
  // The library is large, and most who start a server on their own machine do not need it.
  const { authRoutes, createSignIn, mostDocumentBytes, resourceMetadataPath } = await import("@toolwright/sign-in");
  const resource = `${origin}${mcpPath}`;
  const secret = await readAuthSecret(io, toolwright.settings.state);
  const { logger, store } = toolwright;
  const { accounts } = store;
  const limits = { maxBytes: mostDocumentBytes, timeoutMs: documentTimeoutMs };
  const readDocument = settings.clientDocuments === false ? undefined : publicDocuments(limits);
  const signIn = await createSignIn(
    { handle: systemHandle(store.database), identity, accounts, clock: store.clock },
    { origin, resource, secret, oidc: settings.oidc, readDocument, addressHeader, log: (level, message) => logger.log(level, message) },
  );
  const tokens = withAccessTokens(signIn, identity, resource);
  const authentication = withKeys(identity, local ? eitherOf(local, tokens) : tokens);
  return {
    authentication,
    ofPages: withCookies({ signIn, identity, origin, others: authentication }),
    routes: authRoutes({ signIn, identity, accounts, origin, resource, oidcName: settings.oidc?.name }),
    resourceMetadataUrl: `${origin}${resourceMetadataPath(resource)}`,
  };
}

export function identityOf({ engine, store }: Pick<Toolwright, "engine" | "store">): IdentityAdmin {
  return store.openIdentity({ knownPermissions: () => askedPermissions(engine) });
}

/** The one whose machine it is. */
function localOwner({ engine }: Toolwright): Principal {
  const actor = { kind: "user", id: localUser() } as const;
  return withAskedPermissions(engine, { tenant: localTenant, actor, permissions: operatorPermissions, door: "mcp", source: "mcp" });
}

/** The token of the operator, or what `second` says to any other. */
function eitherOf(first: Authentication, second: Authentication): Authentication {
  return {
    ...second,
    authenticate: async (token, request) => (await first.authenticate(token, request)) ?? second.authenticate(token, request),
  };
}
