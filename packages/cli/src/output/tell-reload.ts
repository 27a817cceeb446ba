import type { LoadReport } from "@toolwright/engine/catalogue";
import type { Io } from "../io.ts";

/** Says which tools a folder gave, and which files were refused, by which rule, and what to do. */
export function tellReload(io: Pick<Io, "err">, { loaded, problems }: LoadReport): void {
  io.err(`Tools loaded: ${loaded.join(", ") || "none"}.\n`);
  for (const { code, message } of problems) io.err(`Left out (${code}): ${message}\n`);
}
