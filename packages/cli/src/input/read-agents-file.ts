import { ToolwrightError } from "@toolwright/engine";
import { type DescribedAgent, describedAgent } from "@toolwright/engine/operations";
import { describeIssues, type PolicyProblem } from "@toolwright/engine/policy";
import { checkAgentSettings, checkCatalogueName } from "@toolwright/engine/ports";
import { describeProblems, readDocument } from "@toolwright/server/policy-file";
import { z } from "zod";
import { CliError } from "../cli-error.ts";
import type { Io } from "../io.ts";

const agentsFile = z.strictObject({ agents: z.array(describedAgent) });

/** The agents of a YAML or JSON file. Rejects with every place, what is wrong there and what to write. */
export async function readAgentsFile({ cwd }: Pick<Io, "cwd">, file: string): Promise<readonly DescribedAgent[]> {
  const { shown, value, problems, positionOf } = await readDocument(file, { cwd, what: "The file of agents" });
  const refuse = (lines: readonly string[]) =>
    new CliError(`${shown} does not describe agents:\n${lines.map((line) => `  ${line}`).join("\n")}`);
  if (problems.length > 0) throw refuse(describeProblems(problems));
  const read = agentsFile.safeParse(value ?? {}, { reportInput: true });
  const found = read.success ? problemsOf(read.data.agents) : describeIssues(read.error, agentsFile);
  if (!read.success || found.length > 0) throw refuse(describeProblems(found.map(({ path, text }) => ({ ...positionOf(path), text }))));
  return read.data.agents;
}

function problemsOf(agents: readonly DescribedAgent[]): readonly PolicyProblem[] {
  return agents.flatMap(({ id, instructions = "", model = "" }, index) => {
    const first = agents.findIndex((each) => each.id === id);
    const twin = `agents[${index}]: the agent ${JSON.stringify(id)} is already at agents[${first}]. Join the two.`;
    return [
      ...(first < index ? [{ path: ["agents", index, "id"], text: twin }] : []),
      ...refusalOf(["agents", index, "id"], () => checkCatalogueName("agent", id)),
      ...refusalOf(["agents", index, "instructions"], () => checkAgentSettings({ instructions })),
      ...refusalOf(["agents", index, "model"], () => checkAgentSettings({ model })),
    ];
  });
}

function refusalOf(path: PolicyProblem["path"], check: () => void): readonly PolicyProblem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
    return [{ path, text: error.message }];
  }
}
