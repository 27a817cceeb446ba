import { setFlagsFromString } from "node:v8";
import type { PGlite } from "@electric-sql/pglite";

/**
 * V8 would compile the code of the database again, with its slower compiler, as soon as some of it is used often. Some of its functions are so
 * large that this takes half a gigabyte and half a second, for long queries in half the time and short ones in the same.
 */
const compilerFlags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering", "--wasm-num-compilation-tasks=1"];

/** The embedded database's module, loaded only where it is used: it is large. */
export async function loadPglite(): Promise<typeof PGlite> {
  for (const flag of compilerFlags) setFlagsFromString(flag);
  return (await import("@electric-sql/pglite")).PGlite;
}
