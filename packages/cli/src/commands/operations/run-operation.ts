import { ToolwrightError } from "@toolwright/engine/errors";
import type { ReadFiles, Rendering, ViewContext, ViewPart } from "@toolwright/engine/shell";
import { visibleJson, visibleText } from "@toolwright/engine/visible-text";
import { localTenant } from "@toolwright/server/record";
import { CliError } from "../../cli-error.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { exitCodeOfCode } from "../../exit-code-of.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { renderTable } from "../../output/table.ts";
import { cliSessionName } from "../../session-name.ts";
import { readSettings } from "../../settings.ts";
import { findLocalServer, operateRemotely, type RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { fill, renderColumns, renderShort } from "./fill.ts";
import { type GeneratedCommand, type GeneratedQuestion, type GeneratedView, optionName } from "./generated-command.ts";
import { readMembers, readsPolicyFile } from "./read-members.ts";

type Options = TenantOptions & RemoteOptions;
type Members = Readonly<Record<string, unknown>>;
/** Does an operation, wherever its engine is. */
type Work = (name: string, input: Members) => Promise<unknown>;

/** Does the operation of a command, and shows its answer. Resolves with the exit code. */
export async function runOperation(io: Io, command: GeneratedCommand, options: Options, words: readonly string[]): Promise<number> {
  if (!readsPolicyFile(command)) return runRead(io, command, { options, words });
  const { checkingPolicy } = await import("../../input/read-policy-file.ts");
  return checkingPolicy(io, options, () => runRead(io, command, { options, words }));
}

interface Line {
  readonly options: Options;
  readonly words: readonly string[];
}

async function runRead(io: Io, command: GeneratedCommand, { options, words }: Line): Promise<number> {
  const { tenant, server } = options;
  const input = await readMembers(io, command, { options: options as Members, words, where: describeWhereabouts({ tenant, server }) });
  const { gives = {}, arguments: named } = command;
  if (command.changes && Object.keys(input).every((member) => Object.hasOwn(gives, member) || named.some((each) => each.member === member)))
    throw new CliError(command.nothing ?? `Nothing to change. Name it with ${command.options.map(optionName).join(" or ")}.`);
  const { each } = command;
  const inputs = each === undefined ? [input] : (input[each] as readonly unknown[]).map((one) => ({ ...input, [each]: one }));
  const read = readsPolicyFile(command) ? (await import("../../input/read-policy-file.ts")).readingOf(input) : undefined;
  const links = command.links ? (await import("../../output/links-of.ts")).linksOf(io, server) : undefined;
  const { jsonLines, showOfAll } = await renderingOf(command);
  const asks = refuseUnasked(io, command, options);
  return withWork(io, { command, options, inputs }, async (open) => {
    const work: Work = (name, given) => open(name, given).catch(explainTo(command, options));
    const answers: Answered[] = [];
    let code: ExitCode = exitCodes.done;
    for (const given of inputs) {
      const one = await withDefaults(work, given, command);
      const showing = { command, input: one, options, origin: links?.origin, read };
      if (asks && !(await confirm(io, work, { ...showing, asks }))) return exitCodes.cancelled;
      for await (const answer of answersOf(work, one, command)) {
        if (!options.json && !showOfAll) await show(io, answer, showing);
        if (options.json && jsonLines) for (const line of jsonLines(answer, contextOf(showing))) io.out(`${visibleJson(line)}\n`);
        else if (options.json || showOfAll) answers.push({ answer, input: one });
        code = (await endOf(answer, command)) || code;
      }
    }
    const showing = { command, input, options, origin: links?.origin, read };
    if (options.json && !jsonLines) await print(io, answers, showing);
    else if (!options.json && showOfAll)
      await showParts(
        io,
        showOfAll(
          answers.map(({ answer }) => answer),
          contextOf(showing),
        ),
      );
    links?.tellGuess();
    return code;
  });
}

/** An answer, with what was asked. */
interface Answered {
  readonly answer: unknown;
  readonly input: Members;
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
  const workOf =
    (operate: (name: "rooms.get", input: never) => Promise<unknown>): Work =>
    (name, input) =>
      operate(name as "rooms.get", input as never);
  if (options.server !== undefined) return use(workOf(operateRemotely(io, options)));
  if (command.machine) return (await import("../context/with-machine.ts")).withMachine(io, options, (operate) => use(workOf(operate)));
  const session = command.effect === "read" ? undefined : cliSessionName();
  const { tenant } = options;
  const local = await findLocalServer(io, { settings: readSettings(options, io), tenant, session, store: command.store });
  if (local) return use(workOf(local.operate));
  const { checkOperationInput } = await import("@toolwright/engine/operations");
  try {
    // What another operation says is not there yet.
    if (command.options.every(({ from }) => from === undefined)) for (const input of inputs) checkOperationInput(command.operation, input);
  } catch (error) {
    explainTo(command, options)(error);
  }
  if (command.store) {
    const { withOperations } = await import("../context/with-operations.ts");
    const secrets = command.secrets === true;
    return withOperations(io, { ...options, secrets }, (operate) => use(workOf(operate)));
  }
  const { asPerson } = await import("../context/as-person.ts");
  return asPerson(io, { ...options, callsNothing: !command.decides }, ({ operate }) => use(workOf(operate)));
}

const pick = (input: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));

/** The input with those members that another operation says where nobody named them. */
async function withDefaults(work: Work, input: Members, { options }: GeneratedCommand): Promise<Members> {
  let whole = input;
  for (const { member, from } of options) {
    if (from === undefined || Object.hasOwn(whole, member)) continue;
    const found = (await work(from.operation, pick(whole, from.takes))) as Members;
    whole = { ...whole, [member]: found[from.member] };
  }
  return whole;
}

/** The question to ask, where there is one. Throws where nobody can be asked. */
function refuseUnasked({ isInteractive }: Io, { words, asks }: GeneratedCommand, { yes }: Options & { readonly yes?: boolean }) {
  if (!asks || yes) return undefined;
  if (isInteractive) return asks;
  throw new CliError(`This is no terminal, so ${words.join(" ")} cannot ask. Add --yes to do it without a question.`);
}

/** Shows what the question is about, and asks. Anything but a yes is a no. */
async function confirm(io: Io, work: Work, { asks, ...showing }: Showing & { readonly asks: GeneratedQuestion }): Promise<boolean> {
  const { question, declined, after } = asks;
  const { input, options } = showing;
  if (after) {
    const answer = await work(after.operation, pick(input, after.takes));
    const say = (text: string) => io.err(text);
    await showParts({ out: say, err: say, columns: io.columns }, await partsOf(answer, after.view, contextOf(showing)));
  }
  const words = (await io.ask(`${fill(question, { ...input, where: describeWhereabouts(options) })} [y/N] `))?.trim().toLowerCase();
  if (words === "y" || words === "yes") return true;
  io.err(`${declined}\n`);
  return false;
}

interface PagedAnswer {
  readonly items: readonly unknown[];
  readonly next?: string | number | undefined;
}

/** One answer; of a list of which all pages are wanted, each page where it is read line by line, and else all of them as one. */
async function* answersOf(work: Work, input: Members, command: GeneratedCommand): AsyncGenerator<unknown> {
  const { operation, allPages: limit } = command;
  if (limit === undefined) return yield await work(operation, input);
  const pages = pagesOf((page) => work(operation, page), { ...input, limit });
  if ((await renderingOf(command)).jsonLines) return yield* pages;
  const all: unknown[] = [];
  for await (const { items } of pages) all.push(...items);
  yield { items: all };
}

async function* pagesOf(work: (input: Members) => Promise<unknown>, input: Members): AsyncGenerator<PagedAnswer> {
  for (let wanted: Members | undefined = input; wanted !== undefined; ) {
    const { next: after, ...page } = (await work(wanted)) as PagedAnswer;
    yield page;
    wanted = after === undefined ? undefined : { ...input, after };
  }
}

interface Showing extends Running {
  readonly input: Members;
  readonly origin: string | undefined;
  readonly read?: ReadFiles | undefined;
}

function contextOf({ input, options, origin, read }: Showing): ViewContext {
  const tenant = options.tenant ?? (options.server === undefined ? localTenant : "The tenant");
  return { input, where: describeWhereabouts(options), tenant, now: Date.now(), origin, read };
}

async function show(io: Io, answer: unknown, showing: Showing): Promise<void> {
  await showParts(io, await partsOf(answer, showing.command.view, contextOf(showing)));
  tellNext(io, answer);
}

async function showParts(io: Pick<Io, "out" | "err" | "columns">, parts: readonly ViewPart[]): Promise<void> {
  for (const part of parts) {
    if (typeof part === "string") io.out(`${visibleText(part)}\n`);
    else if ("text" in part) io.out(`${" ".repeat(part.indent)}${visibleText(part.text)}\n`);
    else if ("note" in part) io.err(`${visibleText(part.note)}\n`);
    else if ("json" in part) io.out(`${visibleJson(part.json, part.spaces)}\n`);
    else io.out(`${renderTable(part.head, part.rows, io.columns)}\n`);
  }
}

function tellNext(io: Io, answer: unknown): void {
  const { items, next } = answer as Partial<PagedAnswer>;
  if (items !== undefined && next !== undefined) io.err(`There are more: --after ${visibleText(String(next))}\n`);
}

const renderingOf = async ({ view }: Pick<GeneratedCommand, "view">): Promise<Rendering<unknown>> =>
  typeof view === "function" ? ((await view()) as Rendering<unknown>) : {};

async function partsOf(answer: unknown, view: GeneratedView, context: ViewContext): Promise<readonly ViewPart[]> {
  if (typeof view === "function") return (await renderingOf({ view })).show?.(answer, context) ?? [{ json: answer, spaces: 2 }];
  if ("columns" in view) return renderColumns(view, (answer as PagedAnswer).items as readonly Members[], context);
  return renderShort(view, answer as Members, context);
}

/** The items of a list, else the whole answer; where words have an answer each, all of these. */
async function print(io: Io, answers: readonly Answered[], showing: Showing): Promise<void> {
  const { command } = showing;
  const { json, jsonOfAll } = await renderingOf(command);
  const values = answers.map(({ answer, input }) =>
    json ? json(answer, contextOf({ ...showing, input })) : ((answer as Partial<PagedAnswer>).items ?? answer),
  );
  const all = answers.map(({ answer }) => answer);
  const value = command.each === undefined ? values[0] : (jsonOfAll?.(all, contextOf(showing)) ?? values);
  io.out(`${visibleJson(value, 2)}\n`);
  for (const { answer, input } of answers) {
    if (!json) tellNext(io, answer);
    for (const part of await partsOf(answer, command.view, contextOf({ ...showing, input })))
      if (typeof part !== "string" && "note" in part && part.always) io.err(`${visibleText(part.note)}\n`);
  }
}

async function endOf(answer: unknown, command: GeneratedCommand): Promise<ExitCode> {
  return exitCodes[(await renderingOf(command)).ends?.(answer) ?? "done"];
}

interface Misfit {
  readonly path: string;
  readonly message: string;
}

/** Says of an input that does not fit which option it came with, and where there is no such thing what to do. */
const explainTo =
  (command: GeneratedCommand, { agent: _, ...options }: Options & { readonly agent?: string }) =>
  (error: unknown): never => {
    if (!ToolwrightError.is(error) || error.code === "tenant_not_found") throw error;
    const where = describeWhereabouts(options);
    if (command.missing !== undefined && /_(?:not_found|missing)$/.test(error.code))
      throw new CliError(`${error.message} ${fill(command.missing, { where })}`, { cause: error });
    // A message that ends with a command to go on with.
    if (where !== "" && error.message.includes(": toolwright ") && !error.message.endsWith("."))
      throw new CliError(`${error.message}${where}`, { cause: error, exitCode: exitCodeOfCode(error.code) });
    const misfits = error.code === "invalid_input" ? misfitsOf(error) : [];
    if (misfits.length === 0) throw error.code === "invalid_input" ? inOptions(error, command) : error;
    const lines = misfits.map(({ path, message }) => `${nameOf(path, command)}: ${message}`);
    throw new CliError(lines.join("\n"), { cause: error });
  };

/** The error with options in the place of the members that it names in backticks. */
function inOptions(cause: ToolwrightError, { options }: GeneratedCommand): CliError {
  const name = (written: string, member: string) => {
    const option = options.find((each) => each.member === member);
    return option ? optionName(option) : written;
  };
  return new CliError(cause.message.replace(/`(\w+)`/g, name), { cause });
}

/** Places in the details of the engine's error, or of the answer of a server. */
function misfitsOf({ details, ...more }: ToolwrightError): readonly Misfit[] {
  const { issues = [] } = more as { readonly issues?: readonly { readonly pointer: string; readonly message: string }[] };
  if (issues.length > 0) return issues.map(({ pointer, message }) => ({ path: pointer, message }));
  return Array.isArray(details) ? details.filter(isMisfit) : [];
}

const isMisfit = (detail: unknown): detail is Misfit => typeof (detail as Partial<Misfit> | null)?.path === "string";

function nameOf(path: string, { arguments: named, options }: GeneratedCommand): string {
  const [, member = ""] = path.split("/");
  const option = options.find((each) => each.member === member);
  if (option) return optionName(option);
  return named.find((each) => each.member === member)?.form ?? member;
}
