import { visibleText } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { type ClientHooks, clientHooks, withOurs } from "../../client-config/client-hooks.ts";
import { describeChange } from "../../client-config/describe-change.ts";
import { editConfig, readEntry } from "../../client-config/edit-config.ts";
import { jsonConfig } from "../../client-config/json-config.ts";
import type { ClientScope, McpClient } from "../../client-config/mcp-clients.ts";
import type { Io } from "../../io.ts";
import { shellWord } from "../../output/shell-word.ts";
import { programFile } from "../../program-file.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import { type AskingOptions, type ClientFile, clientEnvironment, mayWrite, readClientFile, writeClientFile } from "./client-file.ts";

const section = "hooks";

/** Throws for a client whose hooks toolwright does not answer. */
export function requireHooks({ name, title }: McpClient): ClientHooks {
  const hooks = clientHooks.get(name);
  if (hooks) return hooks;
  throw new CliError(`toolwright answers no hooks of ${title}. Leave --hooks out, or name one of: ${[...clientHooks.keys()].join(", ")}.`);
}

/** Puts our hook before and after every tool of the agent; once, however often it is done. */
export async function installHooks(
  io: Io,
  options: CommonOptions & AskingOptions,
  { hooks, scope, title }: { readonly hooks: ClientHooks; readonly scope: ClientScope; readonly title: string },
): Promise<void> {
  const entry = hooks.entry(commandOf(hooks, io, options));
  await change(io, options, { hooks, scope, entry, question: `Write these hooks for ${title}?` });
  if (hooks.note !== undefined) io.err(`${hooks.note}\n`);
}

/** Takes them out again; what others put there stays. */
export async function uninstallHooks(
  io: Io,
  options: AskingOptions,
  { hooks, scope, title }: { readonly hooks: ClientHooks; readonly scope: ClientScope; readonly title: string },
): Promise<void> {
  await change(io, options, { hooks, scope, entry: undefined, question: `Take the hooks back from ${title}?` });
}

interface Change {
  readonly hooks: ClientHooks;
  readonly scope: ClientScope;
  readonly entry: ReturnType<ClientHooks["entry"]> | undefined;
  readonly question: string;
}

async function change(io: Io, options: AskingOptions, { hooks, scope, entry, question }: Change): Promise<void> {
  const found = readClientFile(hooks.file(scope, clientEnvironment(io)));
  const after = edit(found, hooks, entry);
  if (after === found.text) return;
  const shown = describeChange(found.file, found.text, after);
  if (options.print) return void io.err(`${visibleText(shown)}\n`);
  if (!(await mayWrite(io, options, { shown, question }))) return;
  writeClientFile(found, after);
  io.err(`Wrote ${visibleText(found.file)}.\n`);
}

function edit(found: ClientFile, { agent, events, empty }: ClientHooks, entry: Change["entry"]): string {
  if (found.bytes === undefined && entry === undefined) return found.text;
  let text = found.text.trim() === "" ? `${JSON.stringify(empty, null, 2)}\n` : found.text;
  for (const name of events) {
    const { entry: list } = readEntry(jsonConfig, { file: found.file, text }, { section, name });
    const next = withOurs(list, agent, entry);
    if (JSON.stringify(next) === JSON.stringify(list ?? [])) continue;
    text = editConfig(
      jsonConfig,
      { file: found.file, text },
      { section, name, entry: next.length > 0 ? next : undefined, dropEmpty: true },
    );
  }
  return text;
}

/** A policy that was named holds for the hook too; a server that runs here is found by itself. */
function commandOf({ agent }: ClientHooks, io: Io, options: CommonOptions): string {
  const { policyFile, policyPlaces } = readSettings(options, io);
  const policy = policyFile !== undefined && policyPlaces === undefined ? ["--policy", policyFile] : [];
  return [process.execPath, programFile, "hook", agent, ...policy].map(shellWord).join(" ");
}
