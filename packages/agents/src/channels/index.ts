import { ToolwrightError } from "@toolwright/engine";
import type { Channels } from "@toolwright/engine/ports";
import type { Channel } from "./channel.ts";
import { log } from "./log.ts";
import { webhook } from "./webhook.ts";
import { whatsapp } from "./whatsapp.ts";

const all: ReadonlyMap<string, Channel> = new Map([log, webhook, whatsapp].map((channel) => [channel.name, channel]));

/** Undefined for one that this version does not have. */
export const findChannel = (name: string): Channel | undefined => all.get(name);

/** The ways on which webhooks come and messages go out. */
export const hookChannels: Channels = {
  names: [...all.keys()],
  check({ channel: name, target, credential }, secret) {
    const channel = all.get(name);
    if (!channel) throw misfit("/channel", `There is no channel ${JSON.stringify(name)}. Use ${hookChannels.names.join(", ")}.`);
    if (channel.keyOf(secret) === undefined) throw misfit("/secret", `Nobody can sign with the secret: set it to ${channel.secretForm}.`);
    if (!channel.outgoing && (target !== undefined || credential !== undefined))
      throw misfit("/target", `The channel ${name} sends nothing, so it takes neither a target nor a credential.`);
    if (channel.outgoing && !isAddress(target))
      throw misfit("/target", `The channel ${name} sends messages: name the URL that they go to as target.`);
  },
};

const isAddress = (target: string | undefined) => target !== undefined && /^https?:$/.test(URL.parse(target)?.protocol ?? "");

const misfit = (path: string, message: string) => new ToolwrightError("catalogue_refused", message, { details: [{ path, message }] });
