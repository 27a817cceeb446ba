import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import { asPerson } from "../context/as-person.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

type HookOptions = TenantOptions & RemoteOptions;

interface AddOptions extends TenantOptions, RemoteOptions {
  readonly agent: string;
  readonly secret: string;
  readonly channel?: string;
  readonly target?: string;
  readonly credential?: string;
}

const addressOf = ({ id }: { readonly id: string }) => `/api/hooks/${id}`;

export function add(io: Io, options: AddOptions, [name = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    const { agent, secret, channel, target, credential } = options;
    const made = await operate("hooks.create", { name, agent, secret, channel, target, credential });
    io.out(options.json ? `${JSON.stringify(made, null, 2)}\n` : `${addressOf(made)}\n`);
    io.err("Webhooks are sent there, to the address of the server.\n");
    return exitCodes.done;
  });
}

export function list(io: Io, options: HookOptions): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    const { items: hooks } = await operate("hooks.list", {});
    const toRow = (hook: (typeof hooks)[number]) => [hook.name, hook.agent, hook.channel, hook.secret, hook.madeBy.id, addressOf(hook)];
    if (options.json) io.out(`${JSON.stringify(hooks, null, 2)}\n`);
    else if (hooks.length === 0) io.out("There are no hooks: toolwright hooks add NAME --agent NAME --secret NAME\n");
    else io.out(`${renderTable(["name", "agent", "channel", "secret", "made by", "address"], hooks.map(toRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

export function remove(io: Io, options: HookOptions, [hook = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    await operate("hooks.remove", { hook });
    io.err("Removed. What is sent to it from now on is lost.\n");
    return exitCodes.done;
  });
}
