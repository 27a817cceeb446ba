import { errorCodes, type Json, ToolwrightError } from "@toolwright/engine";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";

export interface RemoteOptions {
  readonly server?: string;
  readonly tenant?: string;
}

interface RemoteRequest {
  readonly method: string;
  /** Below `/api`. */
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface RemoteServer {
  readonly base: string;
  /** Rejects with what the server refused, and where it does not answer. */
  send(request: RemoteRequest): Promise<Response>;
  /** The error that a problem means. */
  toError(status: number, answer: unknown): Error;
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The server that --server names, for whoever the key in TOOLWRIGHT_KEY stands for. */
export function openServer(io: Pick<Io, "env" | "signal">, options: RemoteOptions): RemoteServer {
  const base = readServer(options);
  const key = io.env.TOOLWRIGHT_KEY;
  return {
    base,
    toError: (status, answer) => toError(answer, { base, status }),
    async send({ method, path, body, headers, signal = io.signal }) {
      const all = {
        accept: "application/json",
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      };
      try {
        return await fetch(`${base}/api${path}`, { method, headers: all, signal, ...(body !== undefined && { body }) });
      } catch (cause) {
        if (signal.aborted) throw new CliError("The command was stopped.", { exitCode: exitCodes.cancelled, cause });
        const message = `The server ${base} does not answer. Check the address, and that it runs.`;
        throw new CliError(message, { exitCode: exitCodes.unavailable, cause });
      }
    },
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
