import { constants } from "node:os";
import type { ProcessExit } from "@toolwright/engine/ports";
import type { LaunchEnd } from "../process/launch-request.ts";

/** Sandboxes report a signal of the command as 128 plus its number, as shells do. */
export function readShellEnd({ exitCode, signal }: LaunchEnd): Pick<ProcessExit, "exitCode" | "signal"> {
  if (exitCode === null || exitCode <= 128) return { exitCode, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return name === undefined ? { exitCode, signal } : { exitCode: null, signal: name };
}
