import { writeRequest } from "@toolwright/doors/rest/routes";
import type { Operate } from "../commands/context/operate.ts";
import type { RemoteServer } from "./server.ts";

/** Operations of another server. */
export function operateRemotely(server: RemoteServer): Operate {
  return async (name, input) => {
    const response = await server.send(writeRequest(name, input));
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok || answer === undefined) throw server.toError(response.status, answer);
    return answer as never;
  };
}
