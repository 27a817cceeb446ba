/** The declared secrets of a tool, and no others. Values that are handed out are redacted from everything the call puts out. */
export interface Secrets<Name extends string = string> {
  /** Rejects with `secret_missing`. */
  get(name: Name): Promise<string>;
}
