import type { Io } from "../../io.ts";
import type { Operate } from "./operate.ts";
import type { RemoteOptions } from "./operate-remotely.ts";

/** Operations of the server that `--server` names. What speaks to one is loaded only then. */
export async function operateAt(io: Pick<Io, "env" | "signal">, options: RemoteOptions): Promise<Operate> {
  const { operateRemotely } = await import("./operate-remotely.ts");
  return operateRemotely(io, options);
}
