export { createBwrapRuntime } from "./bwrap.ts";
export type { BwrapRuntimeOptions } from "./bwrap-machine.ts";
export { createDockerRuntime } from "./docker.ts";
export type { DockerRuntimeOptions } from "./docker-machine.ts";
export { createHostRuntime, type HostRuntimeOptions } from "./host.ts";
export { createNsjailRuntime, type NsjailRuntimeOptions } from "./nsjail.ts";
