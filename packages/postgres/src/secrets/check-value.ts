import { ToolwrightError } from "@toolwright/engine";
import type { SecretName } from "./secret-entry.ts";

/** A shorter value can be guessed, and to take it out of output would tear ordinary words apart. */
const shortestValue = 6;
const mostBytes = 65_536;

export function refuseName({ name, agent }: SecretName): void {
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/.test(name))
    throw new ToolwrightError(
      "invalid_input",
      `${JSON.stringify(name)} is no name for a secret. Begin with a letter, and use at most 128 letters, digits, "_", "." and "-".`,
    );
  if (agent !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(agent))
    throw new ToolwrightError(
      "invalid_input",
      `${JSON.stringify(agent)} is no agent. Leave the agent out for a secret of the whole tenant.`,
    );
}

/** The value itself is in no message. */
export function refuseValue(value: string, name: string): void {
  const refuse = (problem: string) => new ToolwrightError("invalid_input", `The value for the secret "${name}" ${problem}`);
  if (value.length < shortestValue)
    throw refuse(
      `has ${value.length} characters. Give one of at least ${shortestValue}: shorter ones are easily guessed, and cannot be kept out of what tools put out.`,
    );
  if (!value.isWellFormed()) throw refuse("is not well-formed text. Binary values are stored as base64.");
  const bytes = Buffer.byteLength(value, "utf8");
  if (bytes > mostBytes) throw refuse(`has ${bytes} bytes, more than ${mostBytes}. Store a key for it, and the value elsewhere.`);
}
