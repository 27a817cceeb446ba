import type { Toolwright } from "@toolwright/server";
import type { Io } from "../../io.ts";

/**
 * Waits for what a process does at its end, and no longer than `ms`: a database that hangs must not keep it from ending (R-AU-7). What the
 * database was not told, others find by the calls that never ended.
 */
export async function endWithin(
  ms: number,
  work: Promise<void>,
  { toolwright, io }: { readonly toolwright: Toolwright; readonly io: Pick<Io, "err"> },
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isDone = await Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
  if (isDone) return;
  const why = toolwright.store.registry.trouble ?? "A call or a job does not end.";
  io.err(`${why} This process ends without it; calls whose end is not in the log end there as unknown.\n`);
}
