import { type CallSite, ToolwrightError } from "@toolwright/engine";
import type { ProcessSpec, RuntimeProbe, SandboxRules, SandboxRuntime } from "@toolwright/engine/ports";

/** A runtime, and the network it will give. */
export interface ChosenRuntime {
  readonly runtime: SandboxRuntime;
  readonly network: ProcessSpec["network"];
}

/**
 * The runtime that the policy demands, or `sandbox_unavailable` with what would help. `auto` takes the first of `runtimes` (strongest first)
 * that isolates and is there. Something weaker is taken only when the policy asks a person about it and that person approved (R-SB-3).
 */
export async function chooseRuntime(
  runtimes: readonly SandboxRuntime[],
  { sandbox: rules, approved }: Pick<CallSite, "sandbox" | "approved">,
): Promise<ChosenRuntime> {
  const candidates =
    rules.mode === "auto"
      ? runtimes.filter((runtime) => runtime.traits.isolation !== "none")
      : runtimes.filter((runtime) => runtime.name === rules.mode);
  const problems = candidates.length === 0 ? [`Known runtimes: ${runtimes.map(({ name }) => name).join(", ") || "none"}.`] : [];
  for (const runtime of candidates) {
    const problem = await findProblem(runtime, rules.network);
    if (problem === undefined) return { runtime, network: rules.network };
    problems.push(problem);
  }
  const weaker = rules.unavailable === "ask" && approved ? await findWeaker(runtimes, candidates) : undefined;
  if (weaker) return weaker;
  throw refuse(rules, problems);
}

/** The strongest of the others that is there, with the most closed network that it can give. */
async function findWeaker(runtimes: readonly SandboxRuntime[], refused: readonly SandboxRuntime[]): Promise<ChosenRuntime | undefined> {
  for (const runtime of runtimes.filter((other) => !refused.includes(other))) {
    const network = runtime.traits.networks.includes("none") ? "none" : "host";
    if ((await findProblem(runtime, network)) === undefined) return { runtime, network };
  }
  return undefined;
}

async function findProblem(runtime: SandboxRuntime, network: ProcessSpec["network"]): Promise<string | undefined> {
  if (!runtime.traits.networks.includes(network)) return `${runtime.name} cannot give the network "${network}".`;
  const probe = await runtime.probe();
  return probe.available ? undefined : describe(runtime.name, probe);
}

function describe(name: string, { detail, remedy }: RuntimeProbe): string {
  return remedy === undefined ? `${name}: ${detail}` : `${name}: ${detail} To get it: ${remedy}`;
}

function refuse(rules: SandboxRules, problems: readonly string[]): ToolwrightError {
  const message = `The policy demands the sandbox "${rules.mode}" with network "${rules.network}", which cannot be had here, so nothing was run. ${problems.join(" ")}`;
  return new ToolwrightError("sandbox_unavailable", message, { details: { mode: rules.mode, problems } });
}
