import { answerHook, type HookAgent, hookAgents, refuseHook } from "@toolwright/doors/hooks";
import { createHookEngine, hookCapabilities } from "@toolwright/server/hooks";
import { localTenant, withAskedPermissions } from "@toolwright/server/local";
import { readPolicy } from "@toolwright/server/policy-file";
import { cliPrincipal } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import { askServer } from "./ask-server.ts";

/** Answers one event of a coding agent. Whatever goes wrong is a denial in that agent's words, and the exit code is 0: others let the call go on. */
export async function hook(io: Io, options: CommonOptions, [name = ""]: readonly string[]): Promise<number> {
  const agent = hookAgents.get(name);
  if (!agent) throw new CliError(`There are no hooks of "${name}". Name one of: ${[...hookAgents.keys()].join(", ")}.`);
  io.out(
    await decide(agent, io, options).catch((error: unknown) => refuseHook(agent, error instanceof Error ? error.message : String(error))),
  );
  return exitCodes.done;
}

async function decide(agent: HookAgent, io: Io, options: CommonOptions): Promise<string> {
  const text = await io.readStdin();
  const project = io.env[agent.projectVariable] || undefined;
  const settings = readSettings(options, io);
  const answered = options.policy === undefined ? await askServer({ agent: agent.name, text, project }, io, settings) : undefined;
  if (answered !== undefined) return answered;
  const engine = createHookEngine(settings.state, await readPolicy(settings, io));
  const principal = withAskedPermissions(engine, { ...cliPrincipal(io, false), tenant: localTenant });
  return answerHook({ agent, text, project }, { engine, principal, capabilitiesOf: hookCapabilities });
}
