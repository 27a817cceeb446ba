/** Why a benchmark does not measure: its message says what to run first. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
