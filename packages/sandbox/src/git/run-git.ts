import { type CallSite, ToolwrightError } from "@toolwright/engine";
import type { CloneProblem, CloneSpec, ProcessHandle, ProcessReport, ProcessSpec, SandboxDriver } from "@toolwright/engine/ports";
import { chooseDriver } from "../exec/launch-command.ts";
import { guardRun, watchMetadata } from "../git-metadata/guard-metadata.ts";
import { explainGit, explainRelay, type RepositoryAccess, refuse } from "./explain-problem.ts";
import { gitEnvironment } from "./git-environment.ts";
import type { GitLimits } from "./git-options.ts";
import type { Relay } from "./open-relay.ts";
import { GitOutput } from "./read-git-output.ts";
import type { Staging } from "./staging-folder.ts";

/** One clone, in the making. */
export interface Clone {
  readonly site: CallSite;
  readonly drivers: readonly SandboxDriver[];
  readonly limits: GitLimits;
  readonly spec: CloneSpec;
  readonly url: URL;
  readonly relay: Relay;
  readonly access: RepositoryAccess;
}

/** Runs git to its end, or to the end of the call. */
export async function runGit(clone: Clone, staging: Staging): Promise<CloneProblem | { readonly warnings: readonly string[] }> {
  const { site, spec, limits, relay } = clone;
  const output = new GitOutput(spec.onProgress ?? (() => {}));
  const handle = await startGit(clone, staging);
  const kill = () => handle.kill("cancelled");
  handle.onOutput((_stream, chunk) => {
    site.alive();
    output.push(chunk);
    if (output.bytes > limits.maxOutputBytes) kill();
  });
  site.signal.addEventListener("abort", kill, { once: true });
  if (site.signal.aborted) kill();
  const { exit, anomalies } = await handle.exited.finally(() => site.signal.removeEventListener("abort", kill));
  site.signal.throwIfAborted();
  for (const anomaly of anomalies) site.reportAnomaly(anomaly);
  // Neither the way through the relay nor what the host calls the workspace is anybody's business.
  const plain = (line: string) => line.replaceAll(relay.base, spec.url).replaceAll(`${staging.root}/`, "");
  if (exit.reason === "exited" && exit.exitCode === 0) return { warnings: output.words("warning").map(plain) };
  return explainEnd(clone, exit, { bytes: output.bytes, words: output.words("fatal", "error").map(plain) });
}

function explainEnd(
  { limits, relay, spec, url, access }: Clone,
  exit: ProcessReport["exit"],
  { bytes, words }: { readonly bytes: number; readonly words: readonly string[] },
): CloneProblem {
  if (exit.reason === "timeout")
    throw new ToolwrightError(
      "timeout",
      `Cloning ${spec.url} took longer than ${limits.timeoutMs} ms. Set depth to 1 to leave out its history.`,
    );
  if (bytes > limits.maxOutputBytes)
    return refuse("too_much_output", `git said more than ${limits.maxOutputBytes} bytes while it cloned ${spec.url}.`);
  const problem = relay.problem();
  if (problem) return explainRelay(problem, url, access);
  const killed = exit.signal === null ? [] : [`It was ended by ${exit.signal}.`];
  return explainGit([...words, ...killed], { url: spec.url, ref: spec.ref });
}

/** Starts git in the policy's sandbox, with nothing but the relay for a network; a driver without isolation cannot take the rest away. */
async function startGit({ site, spec, relay, drivers, limits, url }: Clone, { name, root }: Staging): Promise<ProcessHandle> {
  const open = drivers.find((driver) => driver.name === site.sandbox.mode)?.traits.isolation === "none";
  const sandbox = { ...site.sandbox, network: open ? ("host" as const) : ("filtered" as const) };
  const { driver, network } = await chooseDriver(drivers, { sandbox, approved: site.approved });
  const run = await guardRun(root, { access: "reads", approved: false, seals: driver.traits.isolation !== "none" });
  const specOfRun: ProcessSpec = {
    program: { argv: cloneArguments(spec, url) },
    workspace: root,
    workdir: name,
    writable: true,
    env: gitEnvironment({ url: url.href, relay: relay.base, ceiling: root }),
    network,
    ...(network === "filtered" && { networkRules: { allow: [`127.0.0.1:${relay.port}`], deny: [], allowRanges: ["127.0.0.1/32"] } }),
    limits: site.sandbox.limits,
    ...(site.sandbox.tighterLimits && { tighterLimits: site.sandbox.tighterLimits }),
    protectedPaths: [],
    sealedPaths: run.sealedPaths,
    stdin: "closed",
    timeoutMs: limits.timeoutMs,
  };
  const started = await driver.start(specOfRun).catch(async (error: unknown) => {
    for (const anomaly of await run.end()) site.reportAnomaly(anomaly);
    throw error;
  });
  const handle = watchMetadata(started, run, { access: "reads" });
  site.reportPosture(handle.posture);
  return handle;
}

/** Operands stand behind `--`, and values are part of their option's word: nothing of the input can become an option. */
function cloneArguments({ ref, depth }: CloneSpec, url: URL): [string, ...string[]] {
  const options = [...(ref === undefined ? [] : [`--branch=${ref}`]), ...(depth === undefined ? [] : [`--depth=${depth}`])];
  return ["git", "clone", "--progress", "--template=", "--no-recurse-submodules", ...options, "--", url.href, "repository"];
}
