import type { Agent, AgentLimits } from "@toolwright/engine/ports";
import { visibleText } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readInstructions } from "../../input/read-instructions.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { Operate } from "../context/operate.ts";
import { type CatalogueOptions, requireTools, withCatalogue } from "../context/with-catalogue.ts";

type Options = Omit<CatalogueOptions, "agent" | "tools"> & {
  readonly name?: string;
  readonly instructions?: string;
  readonly model?: string;
  readonly steps?: string;
  readonly restricted?: boolean;
  readonly acceptsAgents?: boolean;
  readonly with?: readonly string[];
  readonly off?: readonly string[];
  readonly on?: readonly string[];
};

export async function create(io: Io, options: Options, [agent = ""]: readonly string[]): Promise<number> {
  const instructions = await readInstructions(io, options.instructions);
  const limits = readLimits(options.steps);
  return withCatalogue(io, options, async ({ operate }) => {
    const tools = [...(options.with ?? [])];
    if (tools.length > 0) await requireTools(operate, tools);
    const { name, model, restricted, acceptsAgents } = options;
    const settings = { name, instructions, model, limits, restricted, acceptsAgents };
    await operate("agents.create", { agent, ...settings, features: readFeatures(options), tools });
    return tell(io, options, { agent, operate });
  });
}

export async function set(io: Io, options: Options, [agent = ""]: readonly string[]): Promise<number> {
  const instructions = await readInstructions(io, options.instructions);
  return withCatalogue(io, options, async ({ operate }) => {
    const { name, model, steps, restricted, acceptsAgents } = options;
    const limits = readLimits(steps, (await find(operate, agent))?.limits);
    const features = readFeatures(options);
    const said = Object.keys(features).length > 0 ? features : undefined;
    await operate("agents.update", { agent, name, instructions, model, limits, restricted, acceptsAgents, features: said });
    return tell(io, options, { agent, operate });
  });
}

export function show(io: Io, options: Options, [agent = ""]: readonly string[]): Promise<number> {
  return withCatalogue(io, options, ({ operate }) => tell(io, options, { agent, operate }));
}

export function list(io: Io, options: Options): Promise<number> {
  return withCatalogue(io, options, async ({ operate }) => {
    const { items: agents } = await operate("agents.list", {});
    if (options.json) io.out(`${JSON.stringify(agents, null, 2)}\n`);
    else if (agents.length === 0)
      io.out("No agents are stored: assistant answers with the usual settings. Make one with: toolwright agents create NAME\n");
    else io.out(`${renderTable(["agent", "tools", "accepts agents", "off", "name"], agents.map(toRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

interface Told {
  readonly agent: string;
  readonly operate: Operate;
}

async function tell(io: Io, { json }: Options, { agent, operate }: Told): Promise<number> {
  const { items: rows } = await operate("enablement.list", { agent });
  const skills = (await operate("skills.list", {})).items.filter(({ agents }) => agents.includes(agent)).map(({ skill }) => skill);
  const found = (await find(operate, agent)) as Agent;
  if (json) {
    io.out(`${JSON.stringify({ ...found, skills, tools: rows }, null, 2)}\n`);
    return exitCodes.done;
  }
  const [, tools, accepts, off] = toRow(found);
  const lines = [
    `${agent}: ${visibleText(found.name)}`,
    `Tools: ${tools}. Accepts agents: ${accepts}. Features off: ${off}. Skills: ${skills.join(", ") || "none"}.`,
    `Model: ${visibleText(found.model ?? "the usual one")}. Limits: ${describeLimits(found.limits)}.`,
    ...(found.instructions === undefined ? [] : ["", visibleText(found.instructions.trimEnd()), ""]),
    ...rows.map(
      ({ tool, source, skill, enabled }) => `  ${tool}: ${enabled ? "on" : "off"}, ${skill === undefined ? source : `skill ${skill}`}`,
    ),
  ];
  io.out(`${lines.join("\n")}\n`);
  return exitCodes.done;
}

function toRow({ agent, name, restricted, acceptsAgents, features }: Agent): readonly string[] {
  const off = Object.keys(features).filter((feature) => features[feature] === false);
  return [agent, restricted ? "only enabled ones" : "all but disabled ones", acceptsAgents ? "yes" : "no", off.join(", ") || "none", name];
}

async function find(operate: Operate, agent: string): Promise<Agent | undefined> {
  return (await operate("agents.list", {})).items.find((each) => each.agent === agent);
}

const describeLimits = (limits: AgentLimits = {}) =>
  Object.entries(limits)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ") || "the usual ones";

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
