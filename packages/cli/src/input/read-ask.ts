import type { Ask } from "@toolwright/server/http";
import { CliError } from "../cli-error.ts";
import type { Io } from "../io.ts";

export interface AskOptions {
  readonly ask?: string;
}

/** The option, then `TOOLWRIGHT_ASK`, then `client`. */
export function readAsk({ ask }: AskOptions, { env }: Pick<Io, "env">): Ask {
  const given = ask ?? (env.TOOLWRIGHT_ASK || undefined);
  if (given === undefined || given === "client" || given === "never") return given ?? "client";
  const from = ask === undefined ? "TOOLWRIGHT_ASK" : "--ask";
  throw new CliError(`${from} is "${given}". Set it to client or to never, or leave it out for client.`);
}
