import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { asPerson } from "./as-person.ts";
import type { Operate } from "./operate.ts";
import type { RemoteOptions } from "./operate-remotely.ts";
import type { TenantOptions } from "./with-store.ts";

/** Does something as the person who types, and says what came of it: as JSON, or in words. */
export async function tellResult<Result>(
  io: Io,
  options: TenantOptions & RemoteOptions,
  work: (operate: Operate) => Promise<Result>,
  say: (result: Result) => void,
): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    const result = await work(operate);
    if (options.json) io.out(`${JSON.stringify(result, null, 2)}\n`);
    else say(result);
    return exitCodes.done;
  });
}
