import { existsSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import type { Extensions, PGlite } from "@electric-sql/pglite";
import { readArrays } from "./array-types.ts";
import { readShipped, unpackedAtOnce, withoutZones } from "./pglite-files.ts";
import { runByClock } from "./run-by-clock.ts";

/**
 * V8 would compile the code of the database again, with its slower compiler, as soon as some of it is used often. Some of its functions are so
 * large that this takes half a gigabyte and half a second, for long queries in half the time and short ones in the same.
 * And it would check all functions before the first one runs: each is checked when it is compiled, and most never are.
 */
const compilerFlags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering", "--wasm-num-compilation-tasks=1", "--wasm-lazy-validation"];

/** The embedded database's module, loaded only where it is used: it is large. */
export async function loadPglite(): Promise<typeof PGlite> {
  for (const flag of compilerFlags) setFlagsFromString(flag);
  return (await import("@electric-sql/pglite")).PGlite;
}

/** What PostgreSQL calls extensions. A database that uses one is opened by nothing that has it not. */
export async function loadExtensions(): Promise<Extensions> {
  const [{ pg_trgm }, { vector }] = await Promise.all([
    import("@electric-sql/pglite/contrib/pg_trgm"),
    import("@electric-sql/pglite-pgvector"),
  ]);
  return { pg_trgm: unpackedAtOnce(pg_trgm), vector: unpackedAtOnce(vector) };
}

const bytea = 17;
/** Its own way with bytes goes over them one by one in script, which takes a second for 5 MB. */
const serializers = { [bytea]: (value: unknown) => `\\x${Buffer.from(value as Uint8Array).toString("hex")}` };
/** Numbers that JavaScript holds exactly: sequences, counts and sizes stay far below 2^53. */
const parsers = { 20: Number, [bytea]: (text: string) => Buffer.from(text.slice(2), "hex") };

/** PGlite would look for all array types in its catalogue first, a tenth of the time that it takes to open. */
const withoutSearchForArrays = (Base: typeof PGlite): typeof PGlite =>
  class extends Base {
    override async _initArrayTypes(): Promise<void> {}
  };

interface OpenOptions {
  /** Makes the folder when it is new. */
  readonly create?: ((dataDir: string) => Promise<void>) | undefined;
  /** Megabytes of pages in its memory. */
  readonly pageCacheMb?: number | undefined;
  /** Its time. */
  readonly now?: () => number;
}

/** Opens the database in a folder. */
export async function openPglite(dataDir: string, { create, pageCacheMb = 16, now = Date.now }: OpenOptions = {}): Promise<PGlite> {
  const PGlite = await loadPglite();
  const { fsBundle, program } = readShipped();
  const { types } = await import("@electric-sql/pglite");
  if (create && !existsSync(dataDir)) await create(dataDir);
  // Statistics from a tenth of the usual sample, and files of the write-ahead log that are not filled with 16 MB of zeros first: nothing else runs meanwhile.
  const startParams = [
    ...PGlite.defaultStartParams,
    "-c",
    `shared_buffers=${pageCacheMb}MB`,
    "-c",
    "default_statistics_target=10",
    "-c",
    "wal_init_zero=off",
  ];
  const extensions = { ...(await loadExtensions()), clock: runByClock(now), zones: withoutZones };
  const shipped = { fsBundle, pgliteWasmModule: await program };
  const pglite = new (withoutSearchForArrays(PGlite))({ dataDir, parsers, serializers, startParams, extensions, ...shipped });
  await pglite.waitReady;
  readArrays(pglite.parsers, types.arrayParser);
  return pglite;
}
