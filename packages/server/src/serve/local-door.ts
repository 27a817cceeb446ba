import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Authentication } from "@toolwright/doors/mcp";
import { createRestDoor } from "@toolwright/doors/rest";
import type { Engine, Logger, Principal } from "@toolwright/engine";
import { localTenant, localUser, operatorPermissions, withAskedPermissions } from "../local-owner.ts";
import { makeFolder } from "../state/make-folder.ts";
import { localHeaders } from "../state/server-record.ts";
import { listen } from "./listen.ts";
import { apiPath } from "./route.ts";
import { serverFacts } from "./server-facts.ts";

interface LocalDoorOptions {
  readonly engine: Engine;
  readonly logger: Logger;
  /** The state folder, which is this user's alone. */
  readonly state: string;
}

export interface LocalDoor {
  /** Undefined where no socket could be made; commands then open the store themselves. */
  readonly socket: string | undefined;
  close(graceMs: number): Promise<void>;
}

/** The name of a unix socket has at most 107 bytes (unix(7)). */
const mostSocketBytes = 107;

/**
 * Answers the commands of the user who runs this server, on a socket in the state folder. Whoever reaches that folder reaches the store in it
 * anyway: a caller is the operator of this machine, of the tenant that it names.
 */
export async function openLocalDoor({ engine, logger, state }: LocalDoorOptions): Promise<LocalDoor> {
  const socket = join(state, "server.sock");
  if (Buffer.byteLength(socket) > mostSocketBytes) return { socket: undefined, close: async () => {} };
  const rest = createRestDoor({
    ...{ engine, logger, authentication: localOperator(engine), path: apiPath, serverInfo: serverFacts.serverInfo },
    operator: (principal) => principal,
    caller: (principal) => ({ ...principal, door: "cli", source: "cli" }),
  });
  try {
    makeFolder(state, 0o700);
    // Of a server that was killed; the one that serves now holds the store.
    rmSync(socket, { force: true });
    const onError = (error: unknown) => logger.log("error", "A request failed.", { error });
    const server = await listen((request) => rest.fetch(request), { host: "localhost", port: 0, socket, onError });
    return { socket, close: (graceMs) => server.close(graceMs, () => rest.close()) };
  } catch (error) {
    logger.log("warn", `Commands of this machine open the store themselves: the socket ${socket} cannot be made.`, { error });
    return { socket: undefined, close: () => rest.close() };
  }
}

function localOperator(engine: Engine): Authentication {
  return {
    open: false,
    authenticate(_, { headers }) {
      const principal: Principal = {
        tenant: headers.get(localHeaders.tenant) ?? localTenant,
        actor: { kind: "user", id: localUser() },
        permissions: operatorPermissions,
        door: "cli",
        source: "cli",
        interactive: headers.get(localHeaders.interactive) !== "no",
      };
      return withAskedPermissions(engine, principal);
    },
  };
}
