import { ToolwrightError } from "@toolwright/engine/errors";
import type { Rendering, ViewContext, ViewPart } from "@toolwright/engine/shell";
import { visibleJson, visibleText } from "@toolwright/engine/visible-text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { renderTable } from "../../output/table.ts";
import { cliSessionName } from "../../session-name.ts";
import { readSettings } from "../../settings.ts";
import { findLocalServer, operateRemotely, type RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { fill, renderColumns, renderShort } from "./fill.ts";
import type { GeneratedCommand } from "./generated-command.ts";
import { optionName, readMembers } from "./read-members.ts";

type Options = TenantOptions & RemoteOptions;
type Members = Readonly<Record<string, unknown>>;
/** Does this one operation, wherever its engine is. */
type Work = (input: Members) => Promise<unknown>;

/** Does the operation of a command, and shows its answer. Resolves with the exit code. */
export async function runOperation(io: Io, command: GeneratedCommand, options: Options, words: readonly string[]): Promise<number> {
  const said = await readMembers(io, command, { options: options as Members, words });
  if (command.changes && Object.keys(said).every((member) => command.arguments.some((each) => each.member === member)))
    throw new CliError(`Nothing to change. Name it with ${command.options.map(optionName).join(" or ")}.`);
  const { each } = command;
  const input = { ...said, ...command.gives };
  const inputs = each === undefined ? [input] : (input[each] as readonly unknown[]).map((one) => ({ ...input, [each]: one }));
  return withWork(io, { command, options, inputs }, async (work) => {
    const answers: unknown[] = [];
    for (const one of inputs) {
      const answer = await (command.allPages ? readAllPages(work, one) : work(one)).catch(explainTo(command, options));
      answers.push(answer);
      if (!options.json) await show(io, answer, { command, input: one, options });
    }
    if (options.json) await print(io, answers, { command, input, options });
    return exitCodes.done;
  });
}

interface Running {
  readonly command: GeneratedCommand;
  readonly options: Options;
}

/** On the server that is named, on the one that runs on this state folder, or in this process. */
async function withWork(
  io: Io,
  { command, options, inputs }: Running & { readonly inputs: readonly Members[] },
  use: (work: Work) => Promise<number>,
): Promise<number> {
  // The schema of the operation reads the input, wherever it is done.
  const name = command.operation as "rooms.get";
  const workOf =
    (operate: (name: "rooms.get", input: never) => Promise<unknown>): Work =>
    (input) =>
      operate(name, input as never);
  if (options.server !== undefined) return use(workOf(operateRemotely(io, options)));
  const session = command.effect === "read" ? undefined : cliSessionName();
  const { tenant } = options;
  const local = await findLocalServer(io, { settings: readSettings(options, io), tenant, session, store: command.store });
  if (local) return use(workOf(local.operate));
  const { checkOperationInput } = await import("@toolwright/engine/operations");
  try {
    for (const input of inputs) checkOperationInput(name, input);
  } catch (error) {
    explainTo(command, options)(error);
  }
  if (command.store) {
    const { withOperations } = await import("../context/with-operations.ts");
    const secrets = command.secrets === true;
    return withOperations(io, { ...options, secrets }, (operate) => use(workOf(operate)));
  }
  const { asPerson } = await import("../context/as-person.ts");
  return asPerson(io, { ...options, callsNothing: true }, ({ operate }) => use(workOf(operate)));
}

interface PagedAnswer {
  readonly items: readonly unknown[];
  readonly next?: string;
}

async function readAllPages(work: Work, input: Members): Promise<PagedAnswer> {
  const items: unknown[] = [];
  let after: string | undefined;
  do {
    const page = (await work({ ...input, ...(after !== undefined && { after }) })) as PagedAnswer;
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return { items };
}

interface Showing extends Running {
  readonly input: Members;
}

async function show(io: Io, answer: unknown, { command, input, options }: Showing): Promise<void> {
  const context: ViewContext = { input, where: describeWhereabouts(options), now: Date.now() };
  for (const part of await partsOf(answer, command, context)) {
    if (typeof part === "string") io.out(`${visibleText(part)}\n`);
    else if ("note" in part) io.err(`${visibleText(part.note)}\n`);
    else io.out(`${renderTable(part.head, part.rows, io.columns)}\n`);
  }
  tellNext(io, answer);
}

function tellNext(io: Io, answer: unknown): void {
  const { items, next } = answer as Partial<PagedAnswer>;
  if (items !== undefined && next !== undefined) io.err(`There are more: --after ${visibleText(next)}\n`);
}

async function partsOf(answer: unknown, { view }: GeneratedCommand, context: ViewContext): Promise<readonly ViewPart[]> {
  if (typeof view === "function") {
    const { show: render } = (await view()) as Rendering<unknown>;
    return render ? render(answer, context) : [visibleJson(answer, 2)];
  }
  if ("columns" in view) return renderColumns(view, (answer as PagedAnswer).items as readonly Members[], context);
  return renderShort(view, answer as Members, context);
}

/** The items of a list, else the whole answer; where words have an answer each, all of these. */
async function print(io: Io, answers: readonly unknown[], { command: { view, each }, input, options }: Showing): Promise<void> {
  const context = { input, where: describeWhereabouts(options), now: Date.now() };
  const { json, jsonLines, jsonOfAll }: Rendering<unknown> = typeof view === "function" ? await view() : {};
  if (jsonLines) {
    for (const line of answers.flatMap((answer) => jsonLines(answer, context))) io.out(`${visibleJson(line)}\n`);
    return;
  }
  const values = answers.map((answer) => (json ? json(answer, context) : ((answer as Partial<PagedAnswer>).items ?? answer)));
  const value = each === undefined ? values[0] : (jsonOfAll?.(answers, context) ?? values);
  io.out(`${visibleJson(value, 2)}\n`);
  if (!json) for (const answer of answers) tellNext(io, answer);
}

interface Misfit {
  readonly path: string;
  readonly message: string;
}

/** Says of an input that does not fit which option it came with, and where there is no such thing what to do. */
const explainTo =
  (command: GeneratedCommand, options: Options) =>
  (error: unknown): never => {
    if (!ToolwrightError.is(error)) throw error;
    if (command.missing !== undefined && /_(?:not_found|missing)$/.test(error.code) && error.code !== "tenant_not_found")
      throw new CliError(`${error.message} ${fill(command.missing, { where: describeWhereabouts(options) })}`, { cause: error });
    const misfits = error.code === "invalid_input" ? misfitsOf(error) : [];
    if (misfits.length === 0) throw error;
    const lines = misfits.map(({ path, message }) => `${nameOf(path, command)}: ${message}`);
    throw new CliError(lines.join("\n"), { cause: error });
  };

/** Places in the details of the engine's error, or of the answer of a server. */
function misfitsOf({ details, ...more }: ToolwrightError): readonly Misfit[] {
  const { issues = [] } = more as { readonly issues?: readonly { readonly pointer: string; readonly message: string }[] };
  if (issues.length > 0) return issues.map(({ pointer, message }) => ({ path: pointer, message }));
  return Array.isArray(details) ? (details as unknown as readonly Misfit[]) : [];
}

function nameOf(path: string, { arguments: named, options }: GeneratedCommand): string {
  const [, member = ""] = path.split("/");
  const option = options.find((each) => each.member === member);
  if (option) return optionName(option);
  return named.find((each) => each.member === member)?.form ?? member;
}
