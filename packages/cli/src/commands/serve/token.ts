import { keptToken, stateFolder } from "@toolwright/server/state";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";

interface TokenOptions {
  readonly replace?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
}

/** Makes the token that `toolwright serve` asks for. It goes to stdout, alone, this once: the state folder has its hash. */
export async function token(io: Io, { replace = false, remove = false, json = false }: TokenOptions): Promise<number> {
  if (replace && remove) throw new CliError("--replace and --remove exclude each other. Leave one out.");
  const kept = keptToken(stateFolder(io.env));
  if (remove) {
    if (!kept.remove()) throw new CliError("There is no token to remove. Make one with: toolwright token");
    if (json) io.out(`${JSON.stringify({ removed: "token" }, null, 2)}\n`);
    io.err("Removed. A server that runs keeps asking for it until it restarts.\n");
    return exitCodes.done;
  }
  if (!replace && kept.read() !== undefined)
    throw new CliError(
      "There is a token already, and only its hash is kept, so it cannot be shown again. Make another with: toolwright token --replace",
    );
  const made = kept.make();
  io.out(json ? `${JSON.stringify({ token: made }, null, 2)}\n` : `${made}\n`);
  io.err(
    "This is the only time that the token is shown. toolwright serve asks for it from its next start; clients send it as: authorization: Bearer TOKEN\n",
  );
  return exitCodes.done;
}
