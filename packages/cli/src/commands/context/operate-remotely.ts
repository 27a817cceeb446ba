import type { RequestError } from "@toolwright/doors/rest/client";
import { errorCodes } from "@toolwright/engine";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { Operate } from "./operate.ts";

export interface RemoteOptions {
  readonly server?: string;
  readonly tenant?: string;
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Operations of the server that --server names, as whoever the key in TOOLWRIGHT_KEY stands for. */
export function operateRemotely(io: Pick<Io, "env" | "signal">, options: RemoteOptions): Operate {
  const url = readServer(options);
  return async (name, input) => {
    const { createClient, RequestError } = await import("@toolwright/doors/rest/client");
    try {
      return await createClient({ url, key: io.env.TOOLWRIGHT_KEY }).operate(name, input, { signal: io.signal });
    } catch (error) {
      throw error instanceof RequestError ? explain(error) : error;
    }
  };
}

function readServer({ server = "", tenant }: RemoteOptions): string {
  if (tenant !== undefined) throw new CliError("With --server, the key in TOOLWRIGHT_KEY says which tenant it is. Leave --tenant out.");
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "")
    throw new CliError(`--server ${JSON.stringify(server)} is not the address of a server. Write it like https://tools.example.org.`);
  if (url.protocol === "http:" && !loopback.has(url.hostname))
    throw new CliError(`${server} is not encrypted, so anybody on the way could read the key. Use https.`);
  return url.href.replace(/\/+$/, "");
}

/** What the engine there says stays as it is: commands and exit codes know it. */
function explain(error: RequestError): Error {
  const { code, message, status } = error;
  if (code === "connection_failed") return new CliError(message, { exitCode: exitCodes.unavailable, cause: error });
  if (Object.hasOwn(errorCodes, code)) return error;
  const hint = code === "unauthenticated" ? " Put an API key of the server into TOOLWRIGHT_KEY." : "";
  return new CliError(`${message}${hint}`, { exitCode: status === 403 ? exitCodes.denied : exitCodes.failed });
}
