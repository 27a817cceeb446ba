import { type CallSite, ToolwrightError } from "@toolwright/engine";
import type { DriverProbe, ProcessSpec, SandboxDriver, SandboxRules } from "@toolwright/engine/ports";

/** A driver, and the network it will give. */
export interface ChosenDriver {
  readonly driver: SandboxDriver;
  readonly network: ProcessSpec["network"];
}

/**
 * The driver that the policy demands, or `sandbox_unavailable` with what would help. `auto` takes the first of `drivers` (strongest first)
 * that isolates and is there. Something weaker is taken only when the policy asks a person about it and that person approved (R-SB-3).
 */
export async function chooseDriver(
  drivers: readonly SandboxDriver[],
  { sandbox: rules, approved }: Pick<CallSite, "sandbox" | "approved">,
): Promise<ChosenDriver> {
  const candidates =
    rules.mode === "auto"
      ? drivers.filter((driver) => driver.traits.isolation !== "none")
      : drivers.filter((driver) => driver.name === rules.mode);
  const problems = candidates.length === 0 ? [`Known drivers: ${drivers.map(({ name }) => name).join(", ") || "none"}.`] : [];
  for (const driver of candidates) {
    const problem = await findProblem(driver, rules.network);
    if (problem === undefined) return { driver, network: rules.network };
    problems.push(problem);
  }
  const weaker = rules.unavailable === "ask" && approved ? await findWeaker(drivers, candidates) : undefined;
  if (weaker) return weaker;
  throw refuse(rules, problems);
}

/** The strongest of the others that is there, with the most closed network that it can give. */
async function findWeaker(drivers: readonly SandboxDriver[], refused: readonly SandboxDriver[]): Promise<ChosenDriver | undefined> {
  for (const driver of drivers.filter((other) => !refused.includes(other))) {
    const network = driver.traits.networks.includes("none") ? "none" : "host";
    if ((await findProblem(driver, network)) === undefined) return { driver, network };
  }
  return undefined;
}

async function findProblem(driver: SandboxDriver, network: ProcessSpec["network"]): Promise<string | undefined> {
  if (!driver.traits.networks.includes(network)) return `${driver.name} cannot give the network "${network}".`;
  const probe = await driver.probe();
  return probe.available ? undefined : describe(driver.name, probe);
}

function describe(name: string, { detail, remedy }: DriverProbe): string {
  return remedy === undefined ? `${name}: ${detail}` : `${name}: ${detail} To get it: ${remedy}`;
}

function refuse(rules: SandboxRules, problems: readonly string[]): ToolwrightError {
  const message = `The policy demands the sandbox "${rules.mode}" with network "${rules.network}", which cannot be had here, so nothing was run. ${problems.join(" ")}`;
  return new ToolwrightError("sandbox_unavailable", message, { details: { mode: rules.mode, problems } });
}
