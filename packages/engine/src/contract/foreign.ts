/** Where content comes from that nobody here wrote. `memory`: an entry or passage that was foreign when it was kept. */
export const foreignKinds = ["web", "browser", "search", "upstream", "document", "memory", "artifact"] as const;
export type ForeignKind = (typeof foreignKinds)[number];

/** One place that foreign content of a call came from; or a session whose marks count, which is foreign where that one is. */
export type ForeignSource =
  | { readonly kind: ForeignKind; readonly place?: string | undefined }
  | { readonly kind: "session"; readonly session: string };

/** What a tool says of its output: that nobody here wrote it. See the guide page "Foreign content". */
export interface ForeignContent<Output = never, Input = never> {
  readonly kind: ForeignKind;
  /**
   * Where the content of this output came from: URLs, paths, ids of documents. Empty: this output holds none. Default: one without a place.
   * *Contract:* pure.
   */
  readonly sources?: (output: Output, input: Input) => readonly ForeignSource[];
  /**
   * Names of members, at any depth of the output, whose texts are foreign; none that a schema bounds, such as a URL or a state. Default: every text. A
   * model that reads structured output gets these inside the boundary.
   */
  readonly members?: readonly string[];
}

/** That a session has read foreign content, for good. */
export interface ForeignMark {
  readonly kind: ForeignKind;
  /** URL, path or id of a document. */
  readonly place?: string | undefined;
  /** The call that read it, and its tool. */
  readonly callId: string;
  readonly tool: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What the result of a call says of foreign content in it. */
export interface ForeignNotice {
  /** Stands around the content, which cannot hold it: it is drawn for each call, after the content is there. */
  readonly boundary: string;
  readonly kind: ForeignKind;
  readonly places: readonly string[];
  readonly members?: readonly string[] | undefined;
}

/** Lowest first. */
export const trusts = ["foreign", "agent", "person"] as const;
/** Whose word a text is: of a stranger, of an agent, of a person. */
export type Trust = (typeof trusts)[number];

/** That of what was made from all of them; of nothing, an agent's. */
export const lowestTrust = (some: readonly Trust[]): Trust => trusts.find((each) => some.includes(each)) ?? "agent";
