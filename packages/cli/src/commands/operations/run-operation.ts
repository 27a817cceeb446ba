import type { ReadFiles, Rendering, ViewContext, ViewPart } from "@toolwright/engine/shell";
import { visibleJson, visibleText } from "@toolwright/engine/visible-text";
import { localTenant } from "@toolwright/server/record";
import { CliError } from "../../cli-error.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { renderTable } from "../../output/table.ts";
import type { Follow, Operate } from "../context/operate.ts";
import { fill, renderColumns, renderShort } from "./fill.ts";
import { attributeOf, type GeneratedCommand, type GeneratedQuestion, type GeneratedView } from "./generated-command.ts";
import type { Answerer, Options } from "./with-operate.ts";

type Members = Readonly<Record<string, unknown>>;
/** Does an operation, wherever its engine is. */
type Work = (name: string, input: Members) => Promise<unknown>;

interface Operating extends Running {
  /** What was typed. */
  readonly input: Members;
  /** What the operation is given of it, one after the other. */
  readonly inputs: readonly Members[];
  /** Where what was typed stands in files. */
  readonly read?: ReadFiles | undefined;
  /** Subscribes to a stream, for commands that run until a signal. */
  readonly follow?: Follow | undefined;
  /** Resumes an approved call, for commands that run one. */
  readonly resume?: Answerer["resume"] | undefined;
  /** Throws in words of the command what went wrong with the input of that number. */
  readonly explain: (at: number) => (error: unknown) => never | Promise<never>;
}

/** Does the operation of a command with each input, and shows what came of it. Resolves with the exit code. */
export async function runOperation(io: Io, operate: Operate, operating: Operating): Promise<number> {
  const { command, options, input, inputs, read, follow, resume, explain } = operating;
  const links = command.links ? (await import("../../output/links-of.ts")).linksOf(io, options.server) : undefined;
  const isToldAtEnd = await tellsAtEnd(command, options);
  const asks = refuseUnasked(io, command, options);
  const awaits = command.awaits && (options as Members)[attributeOf(command.awaits)] === true ? command.awaits : undefined;
  const told: Answered[] = [];
  let code: number = exitCodes.done;
  for (const [at, given] of inputs.entries()) {
    // The schema of the operation reads the input, wherever it is done.
    const work: Work = (name, asked) => operate(name as "rooms.get", asked as never).catch(explain(at));
    const one = await withDefaults(work, given, command);
    const showing = { command, input: one, options, origin: links?.origin, read };
    if (asks && !(await confirm(io, work, { ...showing, asks }))) return exitCodes.cancelled;
    const answers =
      command.follows && follow ? followedBy(io, follow, { command, input: one, explain: explain(at) }) : answersOf(work, one, command);
    for await (const answer of answers) {
      if (awaits) return (await import("./await-ending.ts")).awaitEnding(io, operate, { awaits, answer: answer as Members, options });
      if (command.resumes && resume)
        return (await import("./resume-call.ts")).resumeCall(io, resume, { id: String(one[command.resumes]), options });
      if (isToldAtEnd) told.push({ answer, input: one });
      else await tell(io, answer, showing);
      code = (await endOf(answer, command)) || code;
    }
  }
  if (isToldAtEnd) await tellAll(io, told, { command, input, options, origin: links?.origin, read });
  links?.tellGuess();
  return code;
}

/** Whether nothing is told before all answers are there. */
async function tellsAtEnd(command: GeneratedCommand, { json }: Options): Promise<boolean> {
  if ("bytes" in command.view) return false;
  const { jsonLines, showOfAll } = await renderingOf(command);
  return json ? jsonLines === undefined : showOfAll !== undefined;
}

/** Prints one answer of an operation immediately. */
async function tell(io: Io, answer: unknown, showing: Showing): Promise<void> {
  const { command, options } = showing;
  if ("bytes" in command.view) return io.outBytes(Buffer.from(String((answer as Members)[command.view.bytes]), "base64"));
  if (!options.json) return show(io, answer, showing);
  const { jsonLines } = await renderingOf(command);
  for (const line of jsonLines?.(answer, contextOf(showing)) ?? []) io.out(`${visibleJson(line)}\n`);
  await tellAlways(io, answer, showing);
}

async function tellAll(io: Io, answers: readonly Answered[], showing: Showing): Promise<void> {
  const { command, options } = showing;
  if (options.json) return print(io, answers, showing);
  const { showOfAll } = await renderingOf(command);
  const all = answers.map(({ answer }) => answer);
  await showParts(io, showOfAll?.(all, contextOf(showing)) ?? []);
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
    await showParts(
      { out: say, err: say, columns: io.columns, outIsTerminal: true },
      await partsOf(answer, after.view, contextOf(showing)),
    );
  }
  const words = (await io.ask(`${fill(question, { ...input, where: describeWhereabouts(options) })} [y/N] `))?.trim().toLowerCase();
  if (words === "y" || words === "yes") return true;
  io.err(`${declined}\n`);
  return false;
}

interface PagedAnswer {
  /** The entries of one page of a list. */
  readonly items: readonly unknown[];
  readonly next?: string | number | undefined;
}

/** One answer; of a list of which all pages are wanted, each page where it is read line by line, and else all of them as one. */
async function* answersOf(work: Work, input: Members, command: GeneratedCommand): AsyncGenerator<unknown> {
  const { operation, allPages: limit } = command;
  if (limit === undefined) return yield await work(operation, input);
  const pages = pagesOf((page) => work(operation, page), { ...input, limit });
  if ("bytes" in command.view || (await renderingOf(command)).jsonLines) return yield* pages;
  const all: unknown[] = [];
  for await (const { items } of pages) all.push(...items);
  yield { items: all };
}

interface Following extends Pick<Running, "command"> {
  readonly input: Members;
  readonly explain: (error: unknown) => never | Promise<never>;
}

/** Each item of what is followed, as a list of it alone. */
async function* followedBy(io: Io, follow: Follow, { command, input, explain }: Following): AsyncGenerator<unknown> {
  // The schema of the operation reads the input.
  const items = await follow(command.operation as "events.watch", input).catch(explain);
  io.err(`${command.follows}\n`);
  for await (const item of items) yield { items: [item] };
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

async function showParts(io: Pick<Io, "out" | "err" | "columns" | "outIsTerminal">, parts: readonly ViewPart[]): Promise<void> {
  for (const part of parts) {
    if (typeof part === "string") io.out(`${visibleText(part)}\n`);
    else if ("text" in part) io.out(`${" ".repeat(part.indent)}${visibleText(part.text)}\n`);
    else if ("exact" in part) io.out(io.outIsTerminal ? visibleText(part.exact) : part.exact);
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
  return "bytes" in view ? [] : renderShort(view, answer as Members, context);
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
    await tellAlways(io, answer, { ...showing, input });
  }
}

/** Prints to stderr the notes that also belong beside `--json`. */
async function tellAlways(io: Io, answer: unknown, showing: Showing): Promise<void> {
  for (const part of await partsOf(answer, showing.command.view, contextOf(showing)))
    if (typeof part !== "string" && "note" in part && part.always) io.err(`${visibleText(part.note)}\n`);
}

async function endOf(answer: unknown, command: GeneratedCommand): Promise<ExitCode> {
  return exitCodes[(await renderingOf(command)).ends?.(answer) ?? "done"];
}
