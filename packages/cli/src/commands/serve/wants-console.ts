import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";

/** `TOOLWRIGHT_CONSOLE`: false where nothing that was built for people is served, and nothing is built. */
export function wantsConsole({ env }: Pick<Io, "env">): boolean {
  const wanted = env.TOOLWRIGHT_CONSOLE || "on";
  if (wanted === "on" || wanted === "off") return wanted === "on";
  throw new CliError(`TOOLWRIGHT_CONSOLE is "${wanted}". Set it to on or to off, or leave it out for on.`);
}
