import { createPostgresSecretStore, type PostgresSecretStore, type SecretEntry } from "@toolwright/postgres";
import { localTenant } from "../caller.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type LocalKeyring, openKeyring } from "../machine/keyring.ts";
import { createLogger } from "../output/create-logger.ts";
import { describeCheck, describeUnreadable } from "../output/describe-secrets.ts";
import { renderTable } from "../output/table.ts";
import { type CommonOptions, readSettings } from "../settings.ts";
import { openState } from "../state/open-state.ts";

interface SecretOptions extends CommonOptions {
  readonly agent?: string;
}

interface SetOptions extends SecretOptions {
  readonly host?: readonly string[];
  readonly header?: string;
  readonly user?: string;
}

export async function set(io: Io, options: SetOptions, [name = ""]: readonly string[]): Promise<number> {
  const { host: hosts = [], header, user } = options;
  const value = await readValue(io, name);
  return withSecrets(io, options, async ({ store, keyring }) => {
    const { keyId, origins } = await store.set({ tenant: localTenant, agent: options.agent, name }, value, { hosts, header, user });
    const where = origins.length === 0 ? "" : ` Calls that name it send it to ${origins.join(", ")}.`;
    io.err(`Set ${describeName(name, options)}.${where} Approvals that wait for a call that uses it are void.\n`);
    const lost = (await store.list(localTenant)).filter((entry) => entry.keyId !== keyId && !keyring.find(entry.keyId));
    if (lost.length > 0) io.err(`${lost.length} other secrets need a master key that is not at hand: toolwright secrets check\n`);
    return exitCodes.done;
  });
}

export function list(io: Io, options: SecretOptions): Promise<number> {
  return withSecrets(io, options, async ({ store }) => {
    const entries = await store.list(localTenant);
    if (options.json) io.out(`${JSON.stringify(entries, null, 2)}\n`);
    else if (entries.length === 0) io.out("No secrets are set: toolwright secrets set NAME\n");
    else io.out(`${renderTable(["name", "of", "sent to", "set", "key"], entries.map(toRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

export function remove(io: Io, options: SecretOptions, [name = ""]: readonly string[]): Promise<number> {
  return withSecrets(io, options, async ({ store }) => {
    const removed = await store.remove({ tenant: localTenant, agent: options.agent, name });
    io.err(removed ? `Removed ${describeName(name, options)}.\n` : `There is no ${describeName(name, options)}: toolwright secrets list\n`);
    return removed ? exitCodes.done : exitCodes.failed;
  });
}

export function rotate(io: Io, options: CommonOptions & { readonly newKey?: boolean }): Promise<number> {
  return withSecrets(io, options, async ({ store, keyring }) => {
    if (options.newKey) keyring.addKey();
    const rotation = await store.rotate();
    const { keyId, rewrapped, unreadable } = rotation;
    if (options.json) io.out(`${JSON.stringify(rotation, null, 2)}\n`);
    else io.out(`${rewrapped} secrets came under the master key ${keyId} of ${keyring.place}.\n${describeUnreadable(unreadable)}`);
    if (unreadable.length > 0) return exitCodes.failed;
    io.err("Keep the old keys as long as another database or a backup needs them: toolwright secrets check\n");
    return exitCodes.done;
  });
}

export function check(io: Io, options: CommonOptions): Promise<number> {
  return withSecrets(io, options, async ({ store, keyring }) => {
    const checked = await store.check();
    io.out(options.json ? `${JSON.stringify(checked, null, 2)}\n` : describeCheck(checked, keyring.place));
    return checked.unreadable.length === 0 ? exitCodes.done : exitCodes.failed;
  });
}

interface Opened {
  readonly store: PostgresSecretStore;
  readonly keyring: LocalKeyring;
}

async function withSecrets(io: Io, options: CommonOptions, use: (opened: Opened) => Promise<number>): Promise<number> {
  const settings = readSettings(options, io);
  const keyring = openKeyring(io, settings);
  const state = await openState(settings, { command: "secrets" }, createLogger(io));
  try {
    const store = await createPostgresSecretStore(state.database, keyring);
    return await use({ store, keyring });
  } finally {
    await state.close();
  }
}

/** Never from the command line, which every process list shows and every shell remembers. */
async function readValue(io: Io, name: string): Promise<string> {
  if (!io.isInteractive) return (await io.readStdin()).replace(/\r?\n$/, "");
  const value = await io.ask(`Value of ${name} (it is not shown): `, { hidden: true });
  if (value === undefined) throw new CliError(`No value was given; ${name} is as it was.`, { exitCode: exitCodes.cancelled });
  return value;
}

function describeName(name: string, { agent }: SecretOptions): string {
  return agent === undefined ? `the secret ${name}` : `the secret ${name} of the agent ${agent}`;
}

function toRow({ name, agent, origins, changedAt, keyId }: SecretEntry): readonly string[] {
  const where = origins.map((origin) => origin.replace(/^https:\/\//, "")).join(" ") || "-";
  return [name, agent === undefined ? "everybody" : `agent ${agent}`, where, new Date(changedAt).toISOString(), keyId];
}
