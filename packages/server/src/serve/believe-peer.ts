import type { Logger, Principal } from "@toolwright/engine";
import { type AcceptedConnection, locatePeer, type PeerLocation } from "@toolwright/sandbox";
import { arrivalOf } from "./http-rules.ts";

const words: Record<Exclude<PeerLocation, "here">, string> = {
  run: "it is a command that a tool started",
  elsewhere: "it runs in a sandbox or container",
  unknown: "it cannot be found among the processes of this machine",
};

/**
 * Whether an answer to an approval that comes with a request may be a person's: never from what a tool started, and where nobody shows who they are
 * only from a program that is seen to run beside the server (R-AP-11).
 */
export function believePeer({ open, logger }: { readonly open: boolean; readonly logger: Logger }) {
  // To look costs more than most requests, and a connection that a program beside the server opened stays that program's.
  const beside = new WeakSet<AcceptedConnection>();
  const locate = async (connection: AcceptedConnection): Promise<PeerLocation> => {
    if (beside.has(connection)) return "here";
    const place = await locatePeer(connection);
    if (place === "here") beside.add(connection);
    return place;
  };
  return async ({ key }: Pick<Principal, "key">, request: Request | undefined): Promise<boolean> => {
    const connection = request && arrivalOf(request)?.connection;
    const place = connection ? await locate(connection) : "unknown";
    // Where there is no sign-in, only the keys of people show who calls.
    const showsWho = !open || key !== undefined;
    if (place === "here" || (showsWho && place !== "run")) return true;
    logger.log(
      "warn",
      `A client may not answer approvals: ${words[place]}. Where people sign in (--auth) or there is a token, clients show who they are.`,
      {
        peer: connection?.remote.port,
      },
    );
    return false;
  };
}
