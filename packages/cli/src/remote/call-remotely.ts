import type { CallResult, InvokeOptions, JsonObject } from "@toolwright/engine";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-code.ts";
import { readStream } from "./read-stream.ts";
import type { RemoteServer } from "./server.ts";

type Following = Pick<InvokeOptions, "onOutput" | "onProgress" | "idempotencyKey">;

/** Calls a tool of another server. Its progress and output come while it runs. */
export function callRemotely(server: RemoteServer, name: string, { input, ...follow }: Following & { readonly input: JsonObject }) {
  return streamed(server, { path: `/tools/${encodeURIComponent(name)}/call`, body: JSON.stringify(input) }, follow);
}

/** Runs an approved call on the server that asked. */
export function resumeRemotely(server: RemoteServer, id: string, follow: Following): Promise<CallResult> {
  return streamed(server, { path: `/approvals/${encodeURIComponent(id)}/run`, body: "{}" }, follow);
}

interface Asked {
  readonly path: string;
  readonly body: string;
}

async function streamed(server: RemoteServer, asked: Asked, { onOutput, onProgress, idempotencyKey }: Following): Promise<CallResult> {
  const headers = { accept: "text/event-stream", ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }) };
  const response = await server.send({ method: "POST", ...asked, headers });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (!isStream || response.body === null) throw server.toError(response.status, await response.json().catch(() => undefined));
  try {
    for await (const { event, data } of readStream(response.body)) {
      if (event === "output") onOutput?.((data as { readonly text: string }).text);
      if (event === "progress") onProgress?.(data as Parameters<NonNullable<InvokeOptions["onProgress"]>>[0]);
      if (event === "result") return data as CallResult;
    }
  } catch (cause) {
    throw lost(server.base, cause);
  }
  throw lost(server.base);
}

/** What the server does not say cannot be known here: the tool may have done all of it. */
const lost = (base: string, cause?: unknown) =>
  new CliError(`${base} ended the connection before the call did. Look there how it ended: toolwright runs list --server ${base}`, {
    exitCode: exitCodes.unknown,
    cause,
  });
