/** What kind of failure a provider means. */
export type ModelFailure =
  | "context-too-long"
  | "key-refused"
  | "access-refused"
  | "quota-spent"
  | "model-unknown"
  /** It cannot call tools. */
  | "no-tools"
  /** Too many requests: well again after a pause. */
  | "busy"
  /** The provider fails: well again after a pause. */
  | "down"
  | "refused"
  /** The answer has no end. */
  | "endless"
  /** The answer has neither a word nor a call. */
  | "empty"
  /** No whole answer came. */
  | "broken";

/** How a provider says what its HTTP status does not, in the code, the message or the body of an error. */
export type FailureWords = Partial<Readonly<Record<ModelFailure, RegExp>>>;
