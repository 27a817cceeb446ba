import { availableParallelism, totalmem } from "node:os";
import type { ResourceLimits } from "@toolwright/engine/ports";

const mebibyte = 1024 * 1024;

let known: Required<ResourceLimits> | undefined;

/** What holds where a policy names nothing. A container's own limit of memory counts as the size of the machine, which is looked at once. */
export function defaultLimits(): Required<ResourceLimits> {
  known ??= findLimits();
  return known;
}

function findLimits(): Required<ResourceLimits> {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    memoryMb: Math.min(4096, Math.floor(memory / 2 / mebibyte)),
    cpuPercent: 200,
    processes: 256,
    fileSizeMb: 1024,
    openFiles: 1024,
    writtenMb: 10_240,
  };
}

/** Processors that this process may use. */
export const processors = availableParallelism();
