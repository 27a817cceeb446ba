import type { Io } from "../../io.ts";
import type { RemoteOptions } from "../../remote/server.ts";
import type { Operate } from "./operate.ts";

/** Operations of the server that `--server` names. What speaks to one is loaded only then. */
export async function operateAt(io: Pick<Io, "env" | "signal">, options: RemoteOptions): Promise<Operate> {
  const [{ openServer }, { operateRemotely }] = await Promise.all([
    import("../../remote/server.ts"),
    import("../../remote/operate-remotely.ts"),
  ]);
  return operateRemotely(openServer(io, options));
}
