import { findStrangeAssignment, judgeWords, runsCode } from "../judge/judge-coverage.ts";
import { findProgram, plainPrograms } from "../programs/programs.ts";
import { type InnerCommand, readLine, unwrapCommand } from "../read/analyse-line.ts";
import { shells } from "../read/wrappers.ts";
import { baseName, resolveProgram, type Word } from "../words/decode-word.ts";
import { type Destination, type NamedFile, type Reached, readHost, readUrl, unnamed } from "./destination.ts";
import type { NetworkProgram } from "./network-program.ts";
import { networkReach } from "./network-reach.ts";
import { scanNetworkOptions } from "./scan-network-options.ts";

const none: Reached = { destinations: [], files: [] };
/** Programs that run their arguments and are neither looked through nor dispatchers. */
const runners: ReadonlySet<string> = new Set(
  "proxychains proxychains4 torsocks tsocks torify setarch linux32 linux64 unbuffer chronic firejail bwrap systemd-run cgexec numactl faketime fakeroot dbus-run-session".split(
    " ",
  ),
);
const maxDepth = 3;

/** Commands that change what later ones of the same line do. */
const changers: ReadonlySet<string> = new Set(["export", "declare", "typeset", "alias", "source", ".", "set", "eval"]);

/** Where each command of a line reaches, and whether its words hide that (`hidden`); after a command that sets variables for the others, none of them is certain. */
export function findLineDestinations(
  commands: readonly InnerCommand[],
): readonly { readonly command: InnerCommand; readonly reached: Reached; readonly hidden: boolean }[] {
  let changed = false;
  return commands.map((command) => {
    const reached = findDestinations(command);
    const doubts = changed && reached.destinations.length > 0 ? [unnamed("an earlier command of the line may change where it goes")] : [];
    const [name] = command.argv;
    changed ||= name ? changers.has(name.text) : findStrangeAssignment(command.assignments) !== undefined;
    return { command, hidden: hidesDestination(command), reached: { ...reached, destinations: [...reached.destinations, ...doubts] } };
  });
}

/**
 * Where one command of a line reaches, and the files that its network options name. Empty for a program that is not reviewed as one
 * that reaches the network.
 */
function findDestinations(command: InnerCommand): Reached {
  const { destinations, files } = findAt(command, 0);
  const sockets = command.redirects.flatMap((redirect) => ("target" in redirect ? (readSocket(redirect.target) ?? []) : []));
  return sockets.length === 0 ? { destinations, files } : { destinations: [...sockets, ...destinations], files };
}

/** `/dev/tcp/HOST/PORT`, which bash takes for a connection. */
function readSocket({ text }: Word): Destination | undefined {
  const [, host, port] = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (!host || !port) return undefined;
  return /^\d{1,5}$/.test(port)
    ? readHost(host, { scheme: "tcp", port: Number(port), source: text })
    : unnamed("its port is not one number");
}

function findAt(command: InnerCommand, depth: number): Reached {
  const [name, ...words] = command.argv;
  if (!name) return none;
  const text = baseName(name.text);
  const program = networkReach.get(text);
  if (program) return withVariables(readProgram(program, words, command.appended), command);
  if (name.glob || name.tilde)
    return { ...none, destinations: [unnamed("its program is named by a pattern, so what runs is not certain")] };
  return findBehind(command, text, depth);
}

function readProgram(program: NetworkProgram, words: readonly Word[], appended: boolean): Reached {
  const scanned = scanNetworkOptions(words, program.options, program.most);
  const [verb] = scanned.operands;
  const subcommand = verb && !verb.glob ? program.subcommands?.get(verb.text) : undefined;
  const inner = subcommand ? readProgram(subcommand, words.slice(words.indexOf(verb as Word) + 1), appended) : none;
  const found: readonly Destination[] = [
    ...program.reaches(scanned),
    ...scanned.targets.flatMap((word) => (word.text.startsWith("@") ? [] : (readUrl(word, program.scheme ?? "https") ?? []))),
    ...inner.destinations,
  ];
  const hidesVerb = scanned.skipped.some(({ text }) => program.byVerb?.has(text));
  const isQuiet = found.length === 0 && verb !== undefined && program.byVerb !== undefined && !hidesVerb;
  const doubts = isQuiet ? [] : [...scanned.doubts, ...scanned.unreviewed, ...(appended ? ["words from its input are added to it"] : [])];
  const files = [...scanned.files, ...localFiles(scanned.operands), ...(program.files?.(scanned) ?? []), ...inner.files];
  return { destinations: [...found, ...doubts.map(unnamed)], files };
}

/** `file:` URLs. */
function localFiles(operands: readonly Word[]): readonly NamedFile[] {
  return operands.flatMap(({ text }) => {
    const path = /^file:\/{0,2}(?:[^/]*)(\/.*)$/is.exec(text)?.[1];
    return path === undefined ? [] : [{ path, access: "read" as const }];
  });
}

function withVariables({ destinations, files }: Reached, { assignments }: InnerCommand): Reached {
  const doubt = destinations.length > 0 ? findStrangeAssignment(assignments) : undefined;
  return { destinations: doubt === undefined ? destinations : [...destinations, unnamed(doubt)], files };
}

/** A program that runs others in a way that is not looked through: whatever of its words is one that reaches the network counts. */
function findBehind(command: InnerCommand, name: string, depth: number): Reached {
  if (name !== "find" && !runsCode(name) && !runners.has(name)) return none;
  const isInterpreter = shells.has(name) || findProgram(name)?.interpreter === true;
  const found = command.argv.flatMap((word, index): Reached[] => {
    const before = command.argv[index - 1]?.text ?? "";
    const starts = name === "find" ? /^-(?:exec|ok)(?:dir)?$/.test(before) : !isInterpreter || before === "-m";
    if (index > 0 && starts && networkReach.has(baseName(word.text)))
      return [findAt({ ...command, argv: command.argv.slice(index) }, depth + 1)];
    return /\s/.test(word.text) && name !== "find" ? [findInText(word.text, depth)] : [];
  });
  return { destinations: found.flatMap(({ destinations }) => destinations), files: found.flatMap(({ files }) => files) };
}

const namesProgram = new RegExp(`(?:^|[^\\w-])(?:${[...networkReach.keys()].join("|")})(?![\\w-])`);

function findInText(text: string, depth: number): Reached {
  if (!namesProgram.test(text)) return none;
  const reading = depth < maxDepth ? readLine(text) : undefined;
  if (!reading?.ok)
    return { ...none, destinations: [unnamed("a text that it runs names a program of the network, and is not understood")] };
  const found = reading.commands.flatMap((each) => unwrapCommand(each)).map((each) => findAt(each, depth + 1));
  return { destinations: found.flatMap(({ destinations }) => destinations), files: found.flatMap(({ files }) => files) };
}

/**
 * True for a command whose words do not tell where it connects: an interpreter, a script, a build tool, a program that is not reviewed, and a
 * reviewed one with arguments that may run something.
 */
export function hidesDestination(command: InnerCommand): boolean {
  const [name] = command.argv;
  if (findStrangeAssignment(command.assignments) !== undefined) return true;
  if (!name) return false;
  if (name.glob || name.tilde || name.splitQuotes) return true;
  const program = plainPrograms.get(resolveProgram(name.text));
  if (!program) return true;
  const { rule, objection } = judgeWords(program, command.argv.slice(1));
  if (objection !== undefined || rule.interpreter === true || rule.passesOn === true) return true;
  return command.appended && rule.globSafe !== true;
}
