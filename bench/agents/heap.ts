import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Megabytes of heap that are held. */
export function heapMb(): number {
  for (let time = 0; time < 3; time += 1) collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
