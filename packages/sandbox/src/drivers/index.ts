export { createBwrapDriver } from "./bwrap.ts";
export type { BwrapDriverOptions } from "./bwrap-machine.ts";
export { createDockerDriver } from "./docker.ts";
export type { DockerDriverOptions } from "./docker-machine.ts";
export { createHostDriver, type HostDriverOptions } from "./host.ts";
export { createNsjailDriver, type NsjailDriverOptions } from "./nsjail.ts";
