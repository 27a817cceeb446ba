import { errorCodes, type Json, ToolwrightError } from "@toolwright/engine";
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
  const base = readServer(options);
  const key = io.env.TOOLWRIGHT_KEY;
  return async (name, input) => {
    const { writeRequest } = await import("@toolwright/doors/rest/routes");
    const { method, path, body } = writeRequest(name, input);
    const headers = {
      accept: "application/json",
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    let response: Response;
    try {
      response = await fetch(`${base}/api${path}`, { method, headers, signal: io.signal, ...(body !== undefined && { body }) });
    } catch (cause) {
      throw new CliError(`The server ${base} does not answer. Check the address, and that it runs.`, {
        exitCode: exitCodes.unavailable,
        cause,
      });
    }
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok || answer === undefined) throw toError(answer, { base, status: response.status });
    return answer as never;
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

interface Answered {
  readonly base: string;
  readonly status: number;
}

/** RFC 9457. What is no problem of ours comes from something else at that address. */
function toError(answer: unknown, { base, status }: Answered): Error {
  const { code, detail, details } = (answer ?? {}) as { code?: unknown; detail?: unknown; details?: Json };
  if (typeof code !== "string" || typeof detail !== "string")
    return new CliError(`${base} answered ${status}, and not as a Toolwright server does. Check the address.`, {
      exitCode: exitCodes.unavailable,
    });
  if (Object.hasOwn(errorCodes, code))
    return new ToolwrightError(code as keyof typeof errorCodes, detail, { ...(details !== undefined && { details }) });
  const hint = code === "unauthenticated" ? " Put an API key of the server into TOOLWRIGHT_KEY." : "";
  return new CliError(`${detail}${hint}`, { exitCode: status === 403 ? exitCodes.denied : exitCodes.failed });
}
