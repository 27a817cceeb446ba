import { type RuntimeProbe, type SandboxRules, type SandboxRuntime, ToolwrightError } from "@toolwright/engine";

/**
 * The runtime that the policy demands, or `sandbox_unavailable` with what would help: nothing weaker is ever taken instead (R-SB-3).
 * `auto` takes the first of `runtimes` (strongest first) that isolates and is there.
 */
export async function chooseRuntime(runtimes: readonly SandboxRuntime[], rules: SandboxRules): Promise<SandboxRuntime> {
  const candidates =
    rules.mode === "auto"
      ? runtimes.filter((runtime) => runtime.traits.isolation !== "none")
      : runtimes.filter((runtime) => runtime.name === rules.mode);
  if (candidates.length === 0) throw refuse(rules, [`Known runtimes: ${runtimes.map(({ name }) => name).join(", ") || "none"}.`]);
  const problems: string[] = [];
  for (const runtime of candidates) {
    const problem = await findProblem(runtime, rules);
    if (problem === undefined) return runtime;
    problems.push(problem);
  }
  throw refuse(rules, problems);
}

async function findProblem(runtime: SandboxRuntime, rules: SandboxRules): Promise<string | undefined> {
  if (!runtime.traits.networks.includes(rules.network)) return `${runtime.name} cannot give the network "${rules.network}".`;
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
