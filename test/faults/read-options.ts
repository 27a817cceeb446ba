import { parseArgs } from "node:util";

export interface Plan {
  readonly kills: number;
  /** Times the usual time between two calls. */
  readonly pause: number;
  readonly seed: number;
  readonly on: "embedded" | "server";
  /** Clients come through every door, to servers that are killed; without it, what is killed calls by the engine. */
  readonly doors: boolean;
  readonly trees: boolean;
  /** Turns of agents, whose model is a server of this process. */
  readonly agents: boolean;
}

/** A plan for each of some places. With `minutes` nothing is killed. */
export interface FaultOptions extends Omit<Plan, "on"> {
  readonly places: readonly Plan["on"][];
  readonly minutes: number;
}

const command = "npm run test:faults --";

const help = `Usage: ${command} [options]

Kills processes of a store under load at random moments, and checks what is left.

  --kills N          how many processes are killed (default 200)
  --pause N          time between two calls, as a multiple of the usual one (default 1)
  --seed N           chooses which process is killed, and when
  --on PLACE         the store: embedded or server (default both, one after the other)
  --doors            clients call through MCP, over HTTP and stdio, and the command line
  --trees            processes that are killed also make calls that wait inside for a person
  --agents           agents answer messages in the processes that are killed
  --soak MINUTES     kills nothing: 32 clients call one server, and what it holds must not grow
  --help             print this text`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = { kills: text, pause: text, seed: text, on: text, soak: text, doors: flag, trees: flag, agents: flag, help: flag };

const isPlace = (place: string): place is Plan["on"] => place === "embedded" || place === "server";

/** What the command line wants, the text that it asks for, or the sentence that refuses it. */
export function readOptions(args: readonly string[]): FaultOptions | { readonly help: string } | { readonly mistake: string } {
  const parsed = parse(args);
  if ("mistake" in parsed) return parsed;
  const { values } = parsed;
  if (values.help) return { help };
  const { doors = false, trees = false, agents = false } = values;
  const kills = Number(values.kills ?? 200);
  const pause = Number(values.pause ?? 1);
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  const minutes = Number(values.soak ?? 0);
  if (!Number.isInteger(kills) || kills < 0) return mistake("--kills takes a whole number from 0");
  if (!(pause > 0)) return mistake("--pause takes a number above 0");
  if (!Number.isInteger(seed)) return mistake("--seed takes a whole number");
  if (!(minutes >= 0)) return mistake("--soak takes a number of minutes");
  const places = values.on === undefined ? ["embedded", "server"] : [values.on];
  return places.every(isPlace) ? { kills, pause, seed, minutes, places, doors, trees, agents } : mistake("--on takes embedded or server");
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options });
  } catch (error) {
    const [first = ""] = (error as Error).message.split(/[.\n]/, 1);
    return mistake(first);
  }
}

const mistake = (what: string) => ({ mistake: `${what}; see ${command} --help.` });
