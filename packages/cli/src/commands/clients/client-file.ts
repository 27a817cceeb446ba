import { chmodSync, existsSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { nearestName } from "@toolwright/engine/ports";
import { homeOf, makeFolder, writeWhole } from "@toolwright/server/state";
import { CliError } from "../../cli-error.ts";
import { clientHooks } from "../../client-config/client-hooks.ts";
import { type ClientEnvironment, type ClientScope, clientScopes, type McpClient, mcpClients } from "../../client-config/mcp-clients.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";

/** The name of our entry in every client's configuration. */
export const entryName = "toolwright";

/** What both commands ask of the person. */
export interface AskingOptions {
  readonly scope?: string;
  readonly print?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function findClient(name: string): McpClient {
  const client = mcpClients.find((each) => each.name === name || clientHooks.get(each.name)?.agent === name);
  if (client) return client;
  const names = mcpClients.map((each) => each.name);
  const nearest = nearestName(name, names);
  throw new CliError(
    `There is no client "${name}"${nearest === undefined ? "" : `; did you mean ${nearest}?`} Name one of: ${names.join(", ")}.`,
  );
}

export function readClientScope(given: string | undefined): ClientScope | undefined {
  const scope = clientScopes.find((each) => each === given);
  if (given !== undefined && scope === undefined) throw new CliError(`--scope is "${given}". Use user or project.`);
  return scope;
}

export function clientEnvironment({ env, cwd }: Pick<Io, "env" | "cwd">): ClientEnvironment {
  return { home: homeOf(env), cwd, platform: process.platform, env: (name) => env[name] || undefined };
}

/** Links are followed: who keeps configurations elsewhere wants that file edited. */
export function configFile(client: McpClient, scope: ClientScope, place: ClientEnvironment): string {
  const files = client.files(scope, place);
  const file = files.find((each) => existsSync(each)) ?? files[0];
  return existsSync(file) ? realpathSync(file) : file;
}

/** A configuration file as it is; `bytes` is undefined for one that is not there. */
export interface ClientFile {
  readonly file: string;
  readonly bytes: Buffer | undefined;
  readonly text: string;
}

export function readClientFile(file: string): ClientFile {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() === false) throw new Error("it is not a file");
    const bytes = found && readFileSync(file);
    return { file, bytes, text: bytes === undefined ? "" : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (cause) {
    const words = cause instanceof TypeError ? "it is not UTF-8" : (cause as Error).message;
    throw new CliError(`${file} cannot be read: ${words}. Nothing was written.`, { cause });
  }
}

/** With the rights that the file has; a new one may hold secrets soon, and is its owner's alone. */
export function writeClientFile({ file }: Pick<ClientFile, "file">, content: string | Uint8Array): void {
  try {
    makeFolder(dirname(file));
    const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
    writeWhole(file, content, mode);
    chmodSync(file, mode);
  } catch (cause) {
    throw new CliError(`${file} could not be written: ${(cause as Error).message}. Nothing changed there.`, {
      exitCode: exitCodes.unavailable,
      cause,
    });
  }
}

export function removeClientFile({ file }: Pick<ClientFile, "file">): void {
  rmSync(file, { force: true });
}

/** True when the change may be made. Where nobody can be asked, only --yes says so. */
export async function mayWrite(
  io: Io,
  { yes = false }: AskingOptions,
  { shown, question }: { readonly shown: string; readonly question: string },
) {
  io.err(`${shown}\n\n`);
  if (yes) return true;
  if (!io.isInteractive)
    throw new CliError(
      "Nothing was written: this is no terminal, so install cannot ask. Use --yes to write the entry, or --print to see it only.",
    );
  const words = (await io.ask(`${question} [y/N] `))?.trim().toLowerCase();
  if (words === "y" || words === "yes") return true;
  io.err("Nothing was written.\n");
  return false;
}
