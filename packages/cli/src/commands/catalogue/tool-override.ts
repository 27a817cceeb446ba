import type { ToolLimits } from "@toolwright/engine";
import type { ToolOverride } from "@toolwright/engine/catalogue";
import type { OperationTypes } from "@toolwright/engine/operations";
import { visibleText } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { type CatalogueOptions, hint, type OpenCatalogue, requireTools, withCatalogue } from "../context/with-catalogue.ts";

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
    const { whose, operate } = open;
    if (options.reset) await takeBack(open, name);
    else {
      await refuseOthers(open, name);
      await operate("overrides.update", { tool: name, ...change });
    }
    const { items: overrides } = await operate("overrides.list", {});
    const now = overrides.find(({ tool }) => tool === name);
    if (options.json) io.out(`${JSON.stringify(now ?? { tool: name }, null, 2)}\n`);
    else
      io.out(
        `${now ? describeOverride(now) : `${name} is as its definition says${whose === "default" ? "" : ", and the tenant default"}.`}\n`,
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

async function takeBack({ whose, operate }: OpenCatalogue, name: string): Promise<void> {
  const { items: overrides } = await operate("overrides.list", {});
  const names = overrides.map(({ tool }) => tool);
  if (!names.includes(name)) throw new CliError(`${whose} overrides nothing of "${visibleText(name)}".${hint(name, names)}`);
  await operate("overrides.remove", { tool: name });
}

async function refuseOthers({ whose, operate }: OpenCatalogue, name: string): Promise<void> {
  const { items: custom } = await operate("tools.own", {});
  if (custom.some(({ tool }) => tool === name))
    throw new CliError(`"${name}" is a tool of ${whose} itself. Change its file and add it again: toolwright tools add FILE`);
  await requireTools(operate, [name]);
}

/** What an override says from now on, and what it does not say any more. */
type Change = Omit<OperationTypes["overrides.update"]["input"], "tool">;

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
  const members = { title, description, approval, feature, optIn: optIn === false ? "" : optIn, ...limits };
  const clear = (Object.keys(members) as (keyof typeof members)[]).filter((member) => members[member] === "");
  const said = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ""));
  const { timeoutMs, idleMs, maxOutputBytes, ...rest } = said as Partial<Record<keyof typeof members, never>>;
  const { feature: group, optIn: opt, ...texts } = rest;
  return { ...texts, clear, visibility: { feature: group, optIn: opt }, limits: { timeoutMs, idleMs, maxOutputBytes } };
}

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
