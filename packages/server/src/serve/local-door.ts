import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Authentication } from "@toolwright/doors/mcp";
import { createRestDoor } from "@toolwright/doors/rest";
import type { Engine, Logger } from "@toolwright/engine";
import { commandingOperator, withAskedPermissions } from "../local-owner.ts";
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
  /** What a command has to say of the tools here: which were left out, and why. */
  readonly leftOut: () => readonly string[];
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
export async function openLocalDoor({ engine, logger, state, leftOut }: LocalDoorOptions): Promise<LocalDoor> {
  const socket = join(state, "server.sock");
  if (Buffer.byteLength(socket) > mostSocketBytes) {
    logger.log(
      "warn",
      `Commands of this machine open the store themselves: the name ${socket} is too long for a socket. Name a shorter folder with TOOLWRIGHT_STATE.`,
    );
    return { socket: undefined, close: async () => {} };
  }
  const rest = createRestDoor({
    ...{ engine, logger, authentication: localOperator(engine), path: apiPath, serverInfo: serverFacts.serverInfo },
    operator: (principal) => principal,
    caller: (principal) => ({ ...principal, door: "cli", source: "cli" }),
  });
  try {
    makeFolder(state, 0o700);
    // A killed server leaves its socket. Of several servers on one database, the last to start answers.
    rmSync(socket, { force: true });
    const onError = (error: unknown) => logger.log("error", "A request failed.", { error });
    const answer = async (request: Request) => {
      const response = await rest.fetch(request);
      const told = leftOut();
      if (told.length > 0) response.headers.set(localHeaders.leftOut, cutHeader(told));
      return response;
    };
    const server = await listen(answer, { host: "localhost", port: 0, socket, onError });
    return { socket, close: (graceMs) => server.close(graceMs, () => rest.close()) };
  } catch (error) {
    logger.log("warn", `Commands of this machine open the store themselves: the socket ${socket} cannot be made.`, { error });
    return { socket: undefined, close: () => rest.close() };
  }
}

/** Programs that speak HTTP take headers of 16 KiB together. */
const mostHeaderLength = 8_000;

const more = "Tools that are not named here; the server's own output names them all.";

/** The sentences that fit, and that there are more. */
export function cutHeader(sentences: readonly string[]): string {
  const encode = (some: readonly string[]) => encodeURIComponent(JSON.stringify(some));
  if (encode(sentences).length <= mostHeaderLength) return encode(sentences);
  const shown: string[] = [];
  for (const sentence of sentences) {
    if (encode([...shown, sentence, more]).length > mostHeaderLength) break;
    shown.push(sentence);
  }
  return encode([...shown, more]);
}

function localOperator(engine: Engine): Authentication {
  return {
    open: false,
    authenticate(_, { headers }) {
      const isInteractive = headers.get(localHeaders.interactive) !== "no";
      return withAskedPermissions(engine, commandingOperator(isInteractive, headers.get(localHeaders.tenant) ?? undefined));
    },
  };
}
