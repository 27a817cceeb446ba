import { type Authentication, OAuthError, OAuthErrorCode } from "@toolwright/doors/mcp";
import type { GivenPrincipal, Principal } from "@toolwright/engine";
import type { IdentityAdmin } from "@toolwright/engine/ports";
import { withKeys } from "../serve/auth/authentication.ts";

/** Who sends a request; undefined for nobody who is known. */
export type Identify = (request: Request) => GivenPrincipal | undefined | Promise<GivenPrincipal | undefined>;

interface Admission {
  readonly identify: Identify | undefined;
  /** Has the API keys; a store in memory has none. */
  readonly identity: IdentityAdmin | undefined;
}

/** Admits the API keys of the store, and everybody whom the program identifies. */
export function authenticationFor({ identify, identity }: Admission): Authentication {
  const others: Authentication = {
    open: false,
    authenticate: async (_, request) => {
      if (identify) return toPrincipal(await identify(request));
      if (identity) return undefined;
      throw new OAuthError(
        OAuthErrorCode.InvalidToken,
        "This server admits nobody: it has no API keys, because its store is in memory, and no sign-in. Give createToolwright `identify`, or a store that lasts.",
      );
    },
  };
  return identity ? withKeys(identity, others) : others;
}

function toPrincipal(given: GivenPrincipal | undefined): Principal | undefined {
  return given && { permissions: [], source: "mcp", ...given, door: "mcp" };
}
