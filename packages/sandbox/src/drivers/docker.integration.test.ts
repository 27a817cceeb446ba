import { describe, test } from "vitest";
import { findWorkingEngines } from "../testing/container-fixture.ts";
import { localFixture } from "../testing/driver/local-fixture.ts";
import { type DriverGaps, driverConformance } from "../testing/driver-conformance.ts";
import { createDockerDriver } from "./docker.ts";

const engines = await findWorkingEngines();
const isRoot = process.getuid?.() === 0;

const gaps: DriverGaps = {
  "R-SB-8 secrets of the host are hidden: environments, home, engine data, other folders":
    "an image has a /run, /sys and /var of its own; that the host's are hidden is tested beside this",
  "R-SB-6 the share of a processor is limited": "an engine holds the container back, and does not say that it did",
  "an attempt to use the network is said in the result":
    "the counters of a container's network belong to the engine; what a proxy refuses is said all the same",
  "a hundred runs at a time do not mix": "a hundred containers are half a minute of this machine",
};
const gapsOf: Readonly<Record<string, DriverGaps>> = {
  docker: gaps,
  podman: {
    ...gaps,
    "R-SB-5 R-SB-6 refused inside: mount in a user namespace":
      "Podman's own system call filter permits user namespaces, which the posture says; a mount in one reaches nothing outside",
    "R-SB-6 a memory hog is ended and the result says why":
      "Podman 4 does not say of a container in control groups v1 that it ran out of memory",
  },
};

if (engines.length === 0) test.skip("the docker driver: no container engine of this machine runs a container", () => {});

for (const options of engines)
  describe(`docker driver, ${options.engine[0]}`, { timeout: 60_000 }, () => {
    const make = () =>
      localFixture(() => createDockerDriver(options), isRoot ? 4242 : undefined, { factory: "createDockerDriver", options });
    for (const { name, skip, run } of driverConformance(make, gapsOf[options.engine[0]])) test.skipIf(skip !== undefined)(name, run);
  });
