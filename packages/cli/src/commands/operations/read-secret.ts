import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { shellWord } from "../../output/shell-word.ts";
import type { GeneratedCommand } from "./generated-command.ts";

type Members = Readonly<Record<string, unknown>>;
type SecretCommand = GeneratedCommand & { readonly secret: string };

interface Typed {
  /** Without the secret. */
  readonly input: Members;
  readonly words: readonly string[];
  /** Throws in words of the command what does not fit. */
  readonly explain: (error: unknown) => never;
}

/**
 * The input with its secret member, which comes from a hidden prompt, or from stdin where nobody can be asked: every process list shows a command
 * line, and every shell remembers it. What else was typed is looked at first, and not repeated where it may be the secret.
 */
export async function readSecret(io: Io, command: SecretCommand, { input, words, explain }: Typed): Promise<Members> {
  const { secret, operation, arguments: named } = command;
  const { checkProductInput } = await import("@toolwright/server/subjects");
  const misfits = await checkProductInput(operation, { ...input, [secret]: "" }).then(
    () => [],
    (error: unknown) => [error],
  );
  const isFit = misfits.length === 0;
  if (words.length > named.length || (!isFit && words.some((word) => word.includes("="))))
    throw refuseTyped(command, isFit ? words.slice(0, named.length) : []);
  if (!isFit) return explain(misfits[0]);
  return { ...input, [secret]: await askFor(io, secret, words) };
}

async function askFor(io: Io, secret: string, words: readonly string[]): Promise<string> {
  if (!io.isInteractive) return (await io.readStdin()).replace(/\r?\n$/, "");
  const what = `${secret.charAt(0).toUpperCase()}${secret.slice(1)}${words.length > 0 ? ` of ${words.join(" ")}` : ""}`;
  const value = await io.ask(`${what} (it is not shown): `, { hidden: true });
  if (value === undefined) throw new CliError(`No ${secret} was given, so nothing was changed.`, { exitCode: exitCodes.cancelled });
  return value;
}

function refuseTyped({ words, arguments: named }: SecretCommand, known: readonly string[]): CliError {
  const shown = known.length > 0 ? known.map(shellWord) : named.map(({ form }) => form.replace(/\W/g, "").toUpperCase());
  const line = ["toolwright", ...words, ...shown].join(" ");
  return new CliError(
    `A secret is not typed on the command line: the history of the shell keeps it, and every process list shows it. Nothing was changed. Type ${line} and answer the prompt, or send a file: ${line} < FILE. If a real secret was typed, replace it where it came from.`,
  );
}
