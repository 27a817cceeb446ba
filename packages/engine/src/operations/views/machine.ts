import type { MachineDriver, MachineReport } from "../../ports/machine-inspector.ts";
import type { ResourceLimits } from "../../ports/policy-rules.ts";
import type { Rendering, ViewPart } from "../shell.ts";

const limitNames: readonly (keyof ResourceLimits)[] = ["memoryMb", "cpuPercent", "processes", "fileSizeMb", "openFiles", "writtenMb"];

const isSandbox = ({ available, isolation }: MachineDriver) => available && isolation !== "none";

/** What a machine can give. It ends well where commands can be sandboxed and nothing is broken. */
export const machineView: Rendering<MachineReport> = {
  show: ({ version, node, platform, checks, runtimes }) => [
    `toolwright ${version} on Node ${node}, ${platform}\n`,
    ...checks.flatMap(({ name, state, detail, remedy }): readonly ViewPart[] => [
      `${state.padEnd(8)} ${name}: ${detail}`,
      ...(remedy ? [{ text: `remedy: ${remedy}`, indent: 9 }] : []),
    ]),
    "",
    ...describeLimits(runtimes.find(isSandbox)),
  ],
  ends({ checks, runtimes }) {
    if (checks.some(({ state }) => state === "broken")) return "failed";
    return runtimes.some(isSandbox) ? "done" : "unavailable";
  },
};

function describeLimits(strongest: MachineDriver | undefined): readonly string[] {
  if (!strongest)
    return [
      "Commands are refused: there is no sandbox, and nothing weaker is taken in its place.",
      "File tools work: they are confined in the process itself.",
    ];
  const { name: runtime, limits, defaults = {}, gaps = [] } = strongest;
  const unless = (name: keyof ResourceLimits) => (defaults[name] === undefined ? "" : `, ${defaults[name]} where the policy names none`);
  return [
    `Commands run in ${runtime}. Limits of all that runs in one workspace at a time, and how this machine enforces them:`,
    ...limitNames.map((name) => {
      const how = limits[name] ?? "cannot be enforced on this machine: a policy that demands it is refused";
      return `  ${name.padEnd(12)} ${how}${unless(name)}`;
    }),
    ...gaps.map((gap) => `missing  ${gap}`),
  ];
}
