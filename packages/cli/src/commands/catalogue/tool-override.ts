import type { ToolLimits } from "@toolwright/engine";
import { type Snapshot, type ToolOverride, toCodeTools } from "@toolwright/engine/catalogue";
import { nearestName, visibleText } from "@toolwright/engine/ports";
import { localUser } from "@toolwright/server/local";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { type CatalogueOptions, type OpenCatalogue, withCatalogue } from "../context/with-catalogue.ts";

export interface OverrideOptions extends CatalogueOptions {
  readonly title?: string;
  readonly description?: string;
  readonly approval?: string;
  readonly feature?: string;
  /** Undefined: not said. */
  readonly optIn?: boolean;
  readonly timeoutMs?: string;
  readonly idleMs?: string;
  readonly maxOutputBytes?: string;
  readonly reset?: boolean;
}

/** Changes what is named of a tool of code, for the tenant, and leaves the rest; an empty word takes back what was said before. */
export function override(io: Io, options: OverrideOptions, [name = ""]: readonly string[]): Promise<number> {
  const change = readChange(options);
  return withCatalogue(io, options, async (open) => {
    const { tenant, catalogue, toolwright } = open;
    const code = toolwright.engine.snapshot();
    if (options.reset) await takeBack(open, name);
    else {
      await refuseOthers(open, code, name);
      await catalogue.tools.changeOverride({ tenant, by: localUser(), code: toCodeTools(code) }, name, change);
    }
    const { overrides } = await catalogue.tools.rows(tenant);
    const now = overrides.find(({ tool }) => tool === name);
    if (options.json) io.out(`${JSON.stringify(now ?? { tool: name }, null, 2)}\n`);
    else
      io.out(
        `${now ? describeOverride(now) : `${name} is as its definition says${tenant === "default" ? "" : ", and the tenant default"}.`}\n`,
      );
    return exitCodes.done;
  });
}

export function describeOverride({ tool, title, description, approval, visibility = {}, limits = {} }: ToolOverride): string {
  const said = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(approval !== undefined && { approval }),
    ...visibility,
    ...limits,
  };
  const parts = Object.entries(said).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return `${tool}: ${visibleText(parts.join(", ") || "nothing is overridden")}.`;
}

async function takeBack({ tenant, catalogue }: OpenCatalogue, name: string): Promise<void> {
  const { overrides } = await catalogue.tools.rows(tenant);
  const names = overrides.map(({ tool }) => tool);
  if (!names.includes(name)) throw new CliError(`${tenant} overrides nothing of "${visibleText(name)}".${hint(name, names)}`);
  await catalogue.tools.removeOverride(tenant, name);
}

async function refuseOthers({ tenant, catalogue }: OpenCatalogue, code: Snapshot, name: string): Promise<void> {
  if (code.find(name)) return;
  const { custom } = await catalogue.tools.rows(tenant);
  if (custom.some(({ tool }) => tool === name))
    throw new CliError(`"${name}" is a tool of ${tenant} itself. Change its file and add it again: toolwright tools add FILE`);
  const names = code.tools.map((tool) => tool.definition.name);
  throw new CliError(`There is no tool "${visibleText(name)}".${hint(name, names)} See them with: toolwright tools list`);
}

export function hint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest ? ` Did you mean "${nearest}"?` : "";
}

type Change = (current: ToolOverride) => ToolOverride;

function readChange(options: OverrideOptions): Change {
  const { title, description, approval, feature, optIn, reset = false } = options;
  const limits = readLimits(options);
  if (approval !== undefined && approval !== "" && approval !== "always_ask")
    throw new CliError(`--approval is "${approval}". An override only narrows: use always_ask, or "" to take it back.`);
  const says = [title, description, approval, feature, optIn, ...Object.values(limits)].some((each) => each !== undefined);
  if (reset === says)
    throw new CliError(
      reset
        ? "--reset takes the whole override back. Leave the other options out."
        : 'Say what to override, as in --title "Read a page" or --approval always_ask, or --reset.',
    );
  return (current) => {
    const visibility = { ...current.visibility, ...drop({ feature, optIn: optIn === false ? "" : optIn }) };
    return strip({
      ...current,
      ...drop({ title, description, approval }),
      visibility: strip(visibility),
      limits: strip({ ...current.limits, ...limits }),
    }) as unknown as ToolOverride;
  };
}

/** What was said; "" means that it is taken back. */
const drop = (said: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));

const strip = (said: object) => Object.fromEntries(Object.entries(said).filter(([, value]) => value !== ""));

const words = { timeoutMs: "--timeout-ms", idleMs: "--idle-ms", maxOutputBytes: "--max-output-bytes" } as const;

function readLimits(options: OverrideOptions): Partial<Record<keyof ToolLimits, number | "">> {
  const limits: Partial<Record<keyof ToolLimits, number | "">> = {};
  for (const name of ["timeoutMs", "idleMs", "maxOutputBytes"] as const) {
    const text = options[name];
    if (text === undefined) continue;
    if (text !== "" && !/^[1-9]\d{0,14}$/.test(text))
      throw new CliError(`${words[name]} is "${text}". Use a whole number, as in ${words[name]} 30000.`);
    limits[name] = text === "" ? "" : Number(text);
  }
  return limits;
}
