export { createBwrapRuntime } from "./bwrap.ts";
export type { BwrapRuntimeOptions } from "./bwrap-machine.ts";
export { createHostRuntime, type HostRuntimeOptions } from "./host.ts";
