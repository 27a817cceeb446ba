/** Where content comes from that nobody here wrote. `memory`: an entry or passage that was foreign when it was kept. */
export const foreignKinds = ["web", "browser", "search", "upstream", "document", "memory", "artifact"] as const;
export type ForeignKind = (typeof foreignKinds)[number];

/** One place that foreign content of a call came from; or a session whose marks count, which is foreign where that one is. */
export type ForeignSource =
  | { readonly kind: ForeignKind; readonly place?: string | undefined }
  | { readonly kind: "session"; readonly session: string };

/** What a tool says of its output. */
export interface ForeignContent<Output = never, Input = never> {
  readonly kind: ForeignKind;
  /**
   * Where the content of this output came from: URLs, paths, ids of documents. Empty: this output holds none. Default: one without a place.
   * *Contract:* pure.
   */
  readonly sources?: (output: Output, input: Input) => readonly ForeignSource[];
  /** Names of members, at any depth of the output, whose texts are foreign. Default: every text. */
  readonly members?: readonly string[];
}

/** Who stands behind a text, lowest first. */
export const trusts = ["foreign", "agent", "person"] as const;
export type Trust = (typeof trusts)[number];

/** Of what is made of several texts. Nothing at all is an agent's. */
export const lowestTrust = (some: readonly Trust[]): Trust => trusts.find((each) => some.includes(each)) ?? "agent";
