import type { ReadFiles } from "@toolwright/engine/shell";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { explainTo } from "./explain-to.ts";
import { type GeneratedCommand, optionName } from "./generated-command.ts";
import { readMembers, readsPolicyFile } from "./read-members.ts";
import { runOperation } from "./run-operation.ts";
import { type CommandLine, withOperate } from "./with-operate.ts";

type Members = Readonly<Record<string, unknown>>;

/** Does what a command line says, and shows what came of it. Resolves with the exit code. */
export async function runCommand(io: Io, command: GeneratedCommand, line: CommandLine): Promise<number> {
  const { call } = command;
  if (call) return (await import("./run-call.ts")).runCall(io, { ...command, call }, line);
  if (!readsPolicyFile(command)) return runRead(io, command, line);
  const { checkingPolicy, readingOf } = await import("../../input/read-policy-file.ts");
  return checkingPolicy(io, line.options, () => runRead(io, command, line, readingOf));
}

async function runRead(
  io: Io,
  command: GeneratedCommand,
  { options, words }: CommandLine,
  readingOf?: (input: Members) => ReadFiles | undefined,
): Promise<number> {
  const { tenant, server } = options;
  const typed = await readMembers(io, command, { options: { ...options }, words, where: describeWhereabouts({ tenant, server }) });
  requireChange(typed, command);
  const { secret } = command;
  const first = explainTo(command, { options, words, first: 0 });
  const input =
    secret === undefined
      ? typed
      : await (await import("./read-secret.ts")).readSecret(io, { ...command, secret }, { input: typed, words, explain: first });
  const parts = partsOf(input, command);
  const explain = (at: number) => explainTo(command, { options, words, first: parts[at]?.first ?? 0 });
  const check = async () => {
    // What another operation says is not there yet.
    if (command.options.some(({ from }) => from !== undefined)) return;
    const { checkProductInput } = await import("@toolwright/server/subjects");
    for (const [at, part] of parts.entries()) await checkProductInput(command.operation, part.input).catch(explain(at));
  };
  const inputs = parts.map((part) => part.input);
  const read = readingOf?.(input);
  return withOperate(io, { command, options, check }, async ({ operate, follow, inForce, resume }) => {
    const doing = { command, options, input, inputs, read, follow, resume };
    const name = command.tool && input[command.tool];
    if (typeof name !== "string") return runOperation(io, operate, { ...doing, explain });
    const { refuseHidden } = await import("../context/find-tool.ts");
    const about = { name, where: describeWhereabouts(options), inForce };
    return runOperation(io, operate, { ...doing, explain: (at) => refuseHidden(operate, about, explain(at)) });
  });
}

function requireChange(input: Members, { changes, gives = {}, arguments: named, nothing, options }: GeneratedCommand): void {
  if (!changes) return;
  if (Object.keys(input).every((member) => Object.hasOwn(gives, member) || named.some((each) => each.member === member)))
    throw new CliError(nothing ?? `Nothing to change. Name it with ${options.map(optionName).join(" or ")}.`);
}

interface Part {
  readonly input: Members;
  /** How many values of a file come before it. */
  readonly first: number;
}

/** Characters of JSON that one part holds at most, beside its last value: a server takes four million bytes at a time. */
const mostCharacters = 1_000_000;

/** What the operation is given, one after the other. */
function partsOf(input: Members, { each, batch }: GeneratedCommand): readonly Part[] {
  if (each === undefined) return [{ input, first: 0 }];
  const values = input[each] as readonly unknown[];
  if (batch === undefined) return values.map((one) => ({ input: { ...input, [each]: one }, first: 0 }));
  const parts: Part[] = [];
  for (let first = 0; first < values.length; ) {
    let end = first;
    for (let characters = 0; end < values.length && end - first < batch && characters < mostCharacters; end++)
      characters += JSON.stringify(values[end]).length;
    parts.push({ input: { ...input, [each]: values.slice(first, end) }, first });
    first = end;
  }
  return parts;
}
