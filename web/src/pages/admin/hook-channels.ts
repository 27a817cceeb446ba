interface HookChannel {
  readonly name: string;
  /** Where the agent answers. */
  readonly answers: string;
  /** Webhooks are signed as Standard Webhooks says, with a secret that can be made here. Default: the service has one of its own. */
  readonly isStandard?: boolean;
}

export const hookChannels: readonly HookChannel[] = [
  { name: "log", answers: "nowhere: its answers stay in the log", isStandard: true },
  { name: "webhook", answers: "to the target, as signed webhooks", isStandard: true },
  { name: "whatsapp", answers: "to the phone number that the target names" },
];

/** One that a later server has is nothing that is known here. */
export const channelOf = (name: string): Pick<HookChannel, "isStandard"> => hookChannels.find((channel) => channel.name === name) ?? {};
