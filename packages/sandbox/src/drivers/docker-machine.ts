import { silentLogger } from "@toolwright/engine/ports";
import { noControlGroups } from "../process/control-group-detection.ts";
import type { DriverOptions, Machine, Missing } from "./create-driver.ts";
import { limitArguments } from "./docker-command.ts";
import { askEngine, type ContainerEngine, engineEnvironment, removeAbandoned } from "./docker-engine.ts";
import type { Mechanisms } from "./plan-limits.ts";
import { findSystemProgram } from "./prepare-spec.ts";
import { sandboxHome } from "./sandbox-root.ts";

export interface DockerDriverOptions extends DriverOptions {
  /** The image that commands run in; it needs sh and env, and for a filtered network socat or Node. It is never pulled. */
  readonly image?: string | undefined;
  /** The engine's client and its global options, e.g. `["podman", "--runtime", "crun"]`. Default: docker, else podman. */
  readonly engine?: readonly [string, ...string[]];
  /** Variables of the client, e.g. DOCKER_HOST; nothing else of the server's environment is passed on. */
  readonly engineEnvironment?: Readonly<Record<string, string>>;
  /** More arguments of `run`, in front of ours: `--runtime runsc`, `--userns keep-id` for Podman without root, `--security-opt label=disable`. */
  readonly runArguments?: readonly string[];
  /** Absolute host folders that every run may read, at the same path. */
  readonly readable?: readonly string[];
  /** Size of the run's own /tmp, which also holds HOME. */
  readonly temporaryMb?: number;
}

/** What the engine and the image are good for. */
export interface ContainerFacts extends Machine {
  readonly engine: ContainerEngine;
  readonly image: string;
  /** Absolute paths in the image. */
  readonly socat: string | undefined;
  readonly node: string | undefined;
  /** True when the engine lets a process make a user namespace. */
  readonly userNamespaces: boolean;
}

const trialLimits = { memoryMb: 64, cpuPercent: 100, processes: 32 };
const enforced: Mechanisms = { memoryMb: "container", cpuPercent: "container", processes: "container" };
const always: Mechanisms = { fileSizeMb: "rlimit", openFiles: "rlimit" };

/** Looks at the engine and the image once, and clears away what crashed servers left. */
export async function findContainers(options: DockerDriverOptions): Promise<ContainerFacts | Missing> {
  const { image } = options;
  const argv = options.engine ?? findEngine();
  if (argv === undefined) return { detail: "There is neither docker nor podman.", remedy: "apt-get install podman" };
  if (image === undefined)
    return {
      detail: `${argv[0]} is there, but no image is configured for commands to run in.`,
      remedy: "name one that is there: TOOLWRIGHT_IMAGE=debian:12",
    };
  const engine = { argv, env: engineEnvironment(options.engineEnvironment) };
  try {
    const version = (await askEngine(engine, ["version", "--format", "{{.Server.Version}}"])).stdout.trim();
    await askEngine(engine, ["image", "inspect", "--format", "{{.Id}}", image]).catch((cause: unknown) => {
      throw new MissingImage((cause as Error).message, { cause });
    });
    await removeAbandoned(engine);
    const { shell, ...facts } = await lookInside(engine, image, options);
    const surroundings = { home: sandboxHome, temporary: "/tmp", shell, inImage: true };
    return { engine, image, surroundings, detail: `${argv[0]} ${version} with the image ${image}`, groups: noControlGroups, ...facts };
  } catch (error) {
    (options.logger ?? silentLogger).log("warn", `${argv[0]} cannot run the image ${image}.`, { said: (error as Error).message });
    if (error instanceof MissingImage)
      return { detail: `${argv[0]} does not have the image ${image}.`, remedy: `${argv.join(" ")} pull ${image}` };
    return { detail: `${argv[0]} cannot run the image ${image}.`, remedy: `look at what it says: ${argv.join(" ")} version` };
  }
}

class MissingImage extends Error {}

function findEngine(): readonly [string] | undefined {
  const program = findSystemProgram("docker") ?? findSystemProgram("podman");
  return program === undefined ? undefined : [program];
}

const lookAround = `command -v env >/dev/null || exit 1
for name in bash socat node; do echo "$(command -v $name)"; done
if unshare -U true 2>/dev/null; then echo permitted; fi`;

/** Runs the image: what an engine says of itself is not what it can do. */
async function lookInside(engine: ContainerEngine, image: string, { runArguments = [], readable = [] }: DockerDriverOptions) {
  const shown = readable.flatMap((path) => ["--mount", `type=bind,source=${path},target=${path},readonly`]);
  const common = ["--rm", "--pull", "never", "--network", "none", "--cap-drop", "ALL", "--read-only", ...shown];
  const trial = (limits: typeof trialLimits | Record<string, never>) =>
    askEngine(engine, ["run", ...runArguments, ...common, ...limitArguments(limits), "--entrypoint", "/bin/sh", image, "-c", lookAround]);
  const limited = await trial(trialLimits).catch(() => undefined);
  // Docker says so, and runs without the limit, where the kernel or the engine cannot enforce it.
  const mechanisms = limited && !/discarded/i.test(limited.stderr) ? { ...always, ...enforced } : always;
  const { stdout } = limited ?? (await trial({}));
  const [bash, socat, node, userNamespaces] = stdout.split("\n");
  return {
    mechanisms,
    shell: bash || "/bin/sh",
    socat: socat || undefined,
    node: node || undefined,
    userNamespaces: userNamespaces === "permitted",
  };
}
