import { definePort } from "./define-port.ts";
import type { Hook } from "./hooks.ts";

/** Ways on which webhooks come and messages go out. */
export interface Channels {
  /** Names of all of them. */
  readonly names: readonly string[];
  /** Throws `catalogue_refused` for a hook that its channel cannot serve. `secret`: the value of the hook's secret. */
  check(hook: Pick<Hook, "channel" | "target" | "credential">, secret: string): void;
}

export const channelsPort = definePort<Channels>()("channels", "the ways of hooks, such as hookChannels of @toolwright/agents");
