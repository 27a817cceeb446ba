import type { Extension } from "@electric-sql/pglite";

/** Time since the epoch, among the clocks that a WebAssembly program may ask for (WASI preview 1, `clockid`). */
const realtime = 0;
const nanosecondsOfMs = 1e6;

interface Memory {
  readonly buffer: ArrayBuffer;
}
interface Instance {
  readonly exports: Readonly<Record<string, unknown>>;
}
type Imports = Record<string, Record<string, unknown>>;
type Instantiate = (imports: Imports, done: (instance: Instance, module: unknown) => void) => unknown;
type AskClock = (clock: number, precision: bigint, place: number) => number;

/** Lets the embedded database take its time from `now`, in milliseconds, and not from the machine: `now()`, `clock_timestamp()` and all else. */
export function runByClock(now: () => number): Extension {
  return {
    name: "run_by_clock",
    setup: async (_pglite, options: { instantiateWasm: Instantiate }) => ({
      emscriptenOpts: {
        ...options,
        instantiateWasm: ((imports, done) => {
          let memory: Memory | undefined;
          const { env = {}, wasi_snapshot_preview1: wasi = {} } = imports;
          const ask = wasi.clock_time_get as AskClock;
          const answer: AskClock = (clock, precision, place) => {
            const status = ask(clock, precision, place);
            if (clock === realtime && memory) {
              const nanoseconds = BigInt(Math.round(now())) * BigInt(nanosecondsOfMs);
              new DataView(memory.buffer).setBigUint64(place >>> 0, nanoseconds, true);
            }
            return status;
          };
          wasi.clock_time_get = answer;
          env.emscripten_date_now = now;
          return options.instantiateWasm(imports, (instance, module) => {
            memory = (instance.exports.memory ?? env.memory) as Memory | undefined;
            done(instance, module);
          });
        }) satisfies Instantiate,
      },
    }),
  };
}
