import { ToolwrightError } from "@toolwright/engine";
import type { SecretEntry } from "@toolwright/engine/ports";
import { type LocalKeyring, openKeyring } from "@toolwright/server/machine";
import { count } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { readSettings } from "../../settings.ts";
import type { Operate } from "../context/operate.ts";
import { operateRemotely, type RemoteOptions } from "../context/operate-remotely.ts";
import { requireAgent } from "../context/require-agent.ts";
import { operateOn } from "../context/with-operations.ts";
import { type TenantOptions, withStore } from "../context/with-store.ts";

interface SecretOptions extends TenantOptions, RemoteOptions {
  readonly agent?: string;
}

interface SetOptions extends SecretOptions {
  /** False drops them; undefined: not said. */
  readonly host?: readonly string[] | false;
  readonly header?: string;
  readonly user?: string;
}

export async function set(io: Io, options: SetOptions, [name = "", ...more]: readonly string[]): Promise<number> {
  const { tenant, agent } = options;
  refuseTyped(name, more);
  const value = await readValue(io, name);
  return withSecrets(io, options, async (operate, here) => {
    if (agent !== undefined) await requireAgent(operate, agent, tenant);
    const { host, header, user } = options;
    const hosts = host === false ? [] : host && [...host];
    const entry = await operate("secrets.set", { name, agent, value, hosts, header, user }).catch((cause: unknown) => {
      if (!ToolwrightError.is(cause) || cause.code !== "secret_unreadable") throw cause;
      throw new CliError(`${cause.message} On the command line, name them with --host, or say --no-host.`, { cause });
    });
    if (options.json) io.out(`${JSON.stringify(entry, null, 2)}\n`);
    const to = entry.origins.join(", ");
    const kept = [host, header, user].every((each) => each === undefined);
    const where = to === "" ? "" : ` Calls that name it send it to ${to}${kept ? ", as before; --no-host ends that" : ""}.`;
    io.err(`Set the ${describeName(name, options)}.${where} Approvals that wait for a call that uses it are void.\n`);
    if (here) await tellLost(io, operate, { entry, keyring: here.keyring });
    return exitCodes.done;
  });
}

interface Kept {
  readonly entry: SecretEntry;
  readonly keyring: LocalKeyring;
}

async function tellLost(io: Io, operate: Operate, { entry, keyring }: Kept): Promise<void> {
  const { items } = await operate("secrets.list", {});
  const lost = items.filter(({ keyId }) => keyId !== undefined && keyId !== entry.keyId && !keyring.find(keyId));
  if (lost.length === 0) return;
  io.err(`${count(lost.length, "other secret needs", "other secrets need")} a master key that is not at hand: toolwright secrets check\n`);
}

/** What seals secrets is on this machine alone. */
async function withSecrets(
  io: Io,
  options: SecretOptions,
  use: (operate: Operate, here?: Pick<Kept, "keyring">) => Promise<number>,
): Promise<number> {
  if (options.server !== undefined) return use(operateRemotely(io, options));
  const keyring = openKeyring(io, readSettings(options, io));
  return withStore(io, options, async (store) =>
    operateOn(store, io, {
      tenant: options.tenant,
      secrets: await store.openSecrets(keyring),
      use: (operate) => use(operate, { keyring }),
    }),
  );
}

const plainName = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;

/** What was typed in the place of a name is not repeated: it may be the secret itself. */
function refuseTyped(name: string, more: readonly string[]): void {
  if (more.length === 0 && plainName.test(name)) return;
  const [first = ""] = name.split("=");
  if (more.length === 0 && first === name)
    throw new CliError(
      'That is no name for a secret; it is not repeated here, since it may be a secret. Begin with a letter, and use at most 128 letters, digits, "_", "." and "-".',
    );
  const known = plainName.test(first) ? first : "NAME";
  throw new CliError(
    `The value of a secret is not typed on the command line: the history of the shell keeps it, and every process list shows it. Nothing was set. Type toolwright secrets set ${known} and answer the prompt, or send a file: toolwright secrets set ${known} < FILE. If a real secret was typed, replace it where it came from.`,
  );
}

/** Never from the command line, which every process list shows and every shell remembers. */
async function readValue(io: Io, name: string): Promise<string> {
  if (!io.isInteractive) return (await io.readStdin()).replace(/\r?\n$/, "");
  const value = await io.ask(`Value of ${name} (it is not shown): `, { hidden: true });
  if (value === undefined) throw new CliError(`No value was given; ${name} is as it was.`, { exitCode: exitCodes.cancelled });
  return value;
}

function describeName(name: string, { agent }: SecretOptions): string {
  return agent === undefined ? `secret ${name}` : `secret ${name} of the agent ${agent}`;
}
