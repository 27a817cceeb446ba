import { type Authentication, OAuthError, OAuthErrorCode } from "@toolwright/doors/mcp";
import type { GivenPrincipal, Principal } from "@toolwright/engine";
import type { IdentityAdmin } from "@toolwright/engine/ports";
import { withKeys } from "../serve/auth/authentication.ts";

/** Who sends a request; undefined for nobody who is known. */
export type Identify = (request: Request) => GivenPrincipal | undefined | Promise<GivenPrincipal | undefined>;

interface Admission {
  readonly identify: Identify | undefined;
  /** Has the API keys. */
  readonly identity: IdentityAdmin;
  /** A store in memory has no key until the program makes one. */
  readonly isLasting: boolean;
}

/** Admits the API keys of the store, and everybody whom the program identifies. */
export function authenticationFor({ identify, identity, isLasting }: Admission): Authentication {
  const others: Authentication = {
    open: false,
    authenticate: async (_, request) => {
      if (identify) return toPrincipal(await identify(request));
      if (isLasting) return undefined;
      throw new OAuthError(
        OAuthErrorCode.InvalidToken,
        "This server admits nobody but holders of API keys, of which a store in memory has none until the program makes one. Give createToolwright `identify`, or a store that lasts.",
      );
    },
  };
  return withKeys(identity, others);
}

function toPrincipal(given: GivenPrincipal | undefined): Principal | undefined {
  return given && { permissions: [], source: "mcp", ...given, door: "mcp" };
}
