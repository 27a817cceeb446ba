import { hookAgents } from "@toolwright/doors/hooks/agents";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { CommonOptions } from "../../settings.ts";

/** Answers one event of a coding agent, which no server answered (bin/ask-server.js). Whatever goes wrong is a denial in that agent's words, and the exit code is 0: others let the call go on. */
export async function hook(io: Io, options: CommonOptions, [name = ""]: readonly string[]): Promise<number> {
  const agent = hookAgents.get(name);
  if (!agent) throw new CliError(`There are no hooks of "${name}". Name one of: ${[...hookAgents.keys()].join(", ")}.`);
  try {
    const project = (agent.projectVariable && io.env[agent.projectVariable]) || undefined;
    const { decideHere } = await import("./decide-here.ts");
    io.out(await decideHere({ agent, text: await io.readStdin(), project }, io, options));
  } catch (error) {
    const { refuseHook } = await import("@toolwright/doors/hooks");
    io.out(refuseHook(agent, error instanceof Error ? error.message : String(error)));
  }
  return exitCodes.done;
}
