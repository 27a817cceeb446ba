import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { explainTo } from "./explain-to.ts";
import { type GeneratedCommand, optionName } from "./generated-command.ts";
import { readMembers } from "./read-members.ts";
import { runOperation } from "./run-operation.ts";
import { type CommandLine, withOperate } from "./with-operate.ts";

type Members = Readonly<Record<string, unknown>>;

/** Does what a command line says, and shows what came of it. Resolves with the exit code. */
export async function runCommand(io: Io, command: GeneratedCommand, line: CommandLine): Promise<number> {
  const { call } = command;
  if (call) return (await import("./run-call.ts")).runCall(io, { ...command, call }, line);
  const { options, words } = line;
  const { tenant, server } = options;
  const explain = (at: number) => explainTo(command, { options, words, at });
  const read = await readMembers(io, command, { options: { ...options }, words, where: describeWhereabouts({ tenant, server }) });
  requireChange(read, command);
  const { secret } = command;
  const input =
    secret === undefined
      ? read
      : await (await import("./read-secret.ts")).readSecret(io, { ...command, secret }, { input: read, words, explain: explain(0) });
  const inputs = partsOf(input, command);
  const check = async () => {
    // What another operation says is not there yet.
    if (command.options.some(({ from }) => from !== undefined)) return;
    const { checkOperationInput } = await import("@toolwright/engine/operations");
    for (const [at, each] of inputs.entries()) await checkOperationInput(command.operation, each).catch(explain(at));
  };
  return withOperate(io, { command, options, check }, async ({ operate, follow, inForce, resume }) => {
    const doing = { command, options, input, inputs, follow, resume };
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

/** What the operation is given, one after the other. */
function partsOf(input: Members, { each, batch }: GeneratedCommand): readonly Members[] {
  if (each === undefined) return [input];
  const values = input[each] as readonly unknown[];
  if (batch === undefined) return values.map((one) => ({ ...input, [each]: one }));
  return Array.from({ length: Math.ceil(values.length / batch) }, (_, at) => ({
    ...input,
    [each]: values.slice(at * batch, (at + 1) * batch),
  }));
}
