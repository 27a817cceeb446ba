import type { AgentLimits } from "@toolwright/engine/ports";
import { views } from "@toolwright/engine/views";
import { visibleText } from "@toolwright/engine/visible-text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readText } from "../../input/read-file.ts";
import type { Io } from "../../io.ts";
import { type CatalogueOptions, withCatalogue } from "../context/with-catalogue.ts";

type Options = Omit<CatalogueOptions, "agent" | "tools"> & {
  readonly name?: string;
  readonly instructions?: string;
  readonly model?: string;
  readonly steps?: string;
  readonly restricted?: boolean;
  readonly acceptsAgents?: boolean;
  readonly off?: readonly string[];
  readonly on?: readonly string[];
};

/** Changes an agent. Of its limits `--steps` names one, and the others stay. */
export async function set(io: Io, options: Options, [agent = ""]: readonly string[]): Promise<number> {
  const instructions = options.instructions === undefined ? undefined : await readText(io, "--instructions", options.instructions);
  const { describeAgent } = await views.agents();
  return withCatalogue(io, options, async ({ operate }) => {
    const { name, model, steps, restricted, acceptsAgents } = options;
    const limits = readLimits(steps, steps === undefined ? undefined : (await operate("agents.get", { agent })).limits);
    const features = readFeatures(options);
    const said = Object.keys(features).length > 0 ? features : undefined;
    const found = await operate("agents.update", { agent, name, instructions, model, limits, restricted, acceptsAgents, features: said });
    io.out(`${options.json ? JSON.stringify(found, null, 2) : describeAgent(found).map(visibleText).join("\n")}\n`);
    return exitCodes.done;
  });
}

/** The limits that there are, with the steps that are named; undefined where none are. */
function readLimits(steps: string | undefined, { steps: _, ...rest }: AgentLimits = {}): AgentLimits | undefined {
  if (steps === undefined) return undefined;
  if (steps === "") return rest;
  if (!/^[1-9]\d{0,5}$/.test(steps)) throw new CliError(`--steps is "${visibleText(steps)}". Use a whole number, as in --steps 20.`);
  return { ...rest, steps: Number(steps) };
}

function readFeatures({ on = [], off = [] }: Options): Record<string, boolean> {
  const both = on.find((feature) => off.includes(feature));
  if (both !== undefined) throw new CliError(`The feature "${both}" cannot be both on and off.`);
  for (const feature of [...on, ...off])
    if (!/^[a-z][a-z0-9_]{0,62}$/.test(feature))
      throw new CliError(`"${visibleText(feature)}" names no feature, as memory or knowledge do.`);
  return Object.fromEntries([...on.map((feature) => [feature, true]), ...off.map((feature) => [feature, false])]);
}
