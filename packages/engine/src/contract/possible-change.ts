/** Something that would change the answer to "may I". */
export interface PossibleChange {
  /** Where it is changed: the tool's definition, the catalogue, roles, secrets, the policy, a grant, the input itself. */
  readonly kind: "definition" | "catalogue" | "permission" | "secret" | "policy" | "grant" | "input";
  /** One sentence. */
  readonly text: string;
}
