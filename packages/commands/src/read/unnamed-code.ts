import type { Command, ParsedScript } from "unbash";
import { baseName, decodeWord, type Word } from "../words/decode-word.ts";
import type { SimpleCommand } from "./flatten-script.ts";
import { nodesOf } from "./script-nodes.ts";

/**
 * Programs that run the file which their first operand names, with the options after which their operands are something else: code
 * that is written out, a module, files of tests. `verb`: a first operand that is no file.
 */
const runners: ReadonlyMap<string, { readonly otherwise: RegExp; readonly verb?: string }> = new Map(
  Object.entries({
    "sh bash dash ash zsh ksh mksh fish csh tcsh": { otherwise: /^-[a-z]*c$|^--command$/ },
    "source .": { otherwise: /^$/ },
    "node nodejs tsx ts-node": { otherwise: /^-[a-z]*[ep]$|^--(?:eval|print|test|check|run|watch-path)\b|^-c$/ },
    "deno bun": { otherwise: /^-[ep]$|^--(?:eval|print)$/, verb: "run" },
    "python pypy": { otherwise: /^-[A-Za-z]*[cm]$/ },
    ruby: { otherwise: /^-[a-z]*e$/ },
    perl: { otherwise: /^-[a-zA-Z]*[eE]$/ },
    php: { otherwise: /^-[rR]$|^-l$/ },
    "lua luajit": { otherwise: /^-e$/ },
    "tclsh wish osascript Rscript julia groovy pwsh": { otherwise: /^-[ec]$|^-Command$/i },
  } satisfies Record<string, { readonly otherwise: RegExp; readonly verb?: string }>).flatMap(([names, how]) =>
    names.split(" ").map((name) => [name, how] as const),
  ),
);
/** Behind an option, a word that is no such thing may be its value. */
const fileLike = /\/|\.\w+$/;

/** Says that a pattern stands where the file to be run is named: what runs is then decided by the names in a folder, not by the text. */
export function findUnnamedCode({ argv, redirects }: Pick<SimpleCommand, "argv" | "redirects">): string | undefined {
  const [name] = argv;
  if (!name) return undefined;
  if (name.glob) return `The program is named by the pattern ${JSON.stringify(name.text)}, so what runs is not certain.`;
  const runs = argv.findIndex(
    (word, at) => runnerOf(word) && (argv.slice(0, at).every(mayWrap) || startsCommand.test(argv[at - 1]?.text ?? "")),
  );
  const runner = argv[runs];
  if (!runner) return undefined;
  const fed = redirects.find((redirect) => redirect.kind === "read" && redirect.target.glob);
  const pattern = findScriptPattern(runner, argv.slice(runs + 1)) ?? (fed && "target" in fed ? fed.target : undefined);
  return pattern && `${runner.text} runs what the pattern ${JSON.stringify(pattern.text)} matches, so what runs is not certain.`;
}

/** As `findUnnamedCode`, of every command in a line that is not understood as a whole. */
export function findUnnamedInScript(script: ParsedScript, source: string): string | undefined {
  for (const node of nodesOf(script)) {
    if (node.type !== "Command") continue;
    const { name, suffix } = node as unknown as Command;
    const words = [...(name ? [name] : []), ...suffix.filter(({ type }) => type === "Word")];
    const found = findUnnamedCode({ argv: words.map(({ pos, end }) => readGenerously(source.slice(pos, end))), redirects: [] });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Braces that expand count as a pattern; what else is not understood counts as text. */
function readGenerously(raw: string): Word {
  try {
    return decodeWord(raw);
  } catch {
    return { text: raw, glob: mayBeBraces(raw), tilde: false, splitQuotes: true };
  }
}

function mayBeBraces(raw: string): boolean {
  const [plain] = /^[^'"$`\\]*/.exec(raw)!;
  const [open, close] = [plain.indexOf("{"), plain.lastIndexOf("}")];
  return open !== -1 && open < close && /,|\.\./.test(plain.slice(open, close));
}

/** Words that stand before the command which they run: programs, their options, and values. */
const mayWrap = ({ text }: Word) => /^(?:-.*|[\d.]+[smhd]?|[A-Za-z_]\w*=.*)$/.test(text) || wrapping.has(baseName(text));
const wrapping: ReadonlySet<string> = new Set(
  "env nice timeout nohup stdbuf time command exec builtin xargs sudo doas setsid ionice chrt taskset unbuffer".split(" "),
);
/** Options of find and its kin before a command. */
const startsCommand = /^-(?:exec|ok)(?:dir)?$/;

const runnerOf = ({ text }: Word) => runners.get(baseName(text)) ?? runners.get(baseName(text).replace(/(?<![\d.])[\d.]+$/, ""));

function findScriptPattern(name: Word, words: readonly Word[]): Word | undefined {
  const how = runnerOf(name);
  if (!how) return undefined;
  let behindOption = false;
  for (const [index, word] of words.entries()) {
    if (word.glob) return word;
    if (how.otherwise.test(word.text)) return undefined;
    const isOption = /^[-+]./.test(word.text);
    const mayBeValue = (behindOption && !fileLike.test(word.text)) || (index === 0 && word.text === how.verb);
    if (!isOption && !mayBeValue) return undefined;
    behindOption = isOption && word.text !== "--";
  }
  return undefined;
}
