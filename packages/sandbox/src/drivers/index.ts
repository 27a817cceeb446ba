export { type BwrapDriverOptions, createBwrapDriver } from "./bwrap.ts";
export { createDockerDriver } from "./docker.ts";
export type { DockerDriverOptions } from "./docker-machine.ts";
export { createHostDriver, type HostDriverOptions } from "./host.ts";
export { createNsjailDriver, type NsjailDriverOptions } from "./nsjail.ts";
