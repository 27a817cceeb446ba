import type { Rendering } from "../shell.ts";

interface MadeHook {
  readonly id: string;
}

interface ListedHook extends MadeHook {
  readonly name: string;
  readonly agent: string;
  readonly channel: string;
  readonly secret: string;
  readonly madeBy: { readonly id: string };
}

const addressOf = ({ id }: MadeHook) => `/api/hooks/${id}`;

export const hooksView: Rendering<{ readonly items: readonly ListedHook[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["There are no hooks: toolwright hooks add NAME --agent NAME --secret NAME"]
      : [{ head: ["name", "agent", "channel", "secret", "made by", "address"], rows: items.map(toRow) }],
};

export const madeHookView: Rendering<MadeHook> = {
  show: (hook) => [addressOf(hook), { note: "Webhooks are sent there, to the address of the server." }],
};

const toRow = (hook: ListedHook) => [hook.name, hook.agent, hook.channel, hook.secret, hook.madeBy.id, addressOf(hook)];
