// Reads documents with the product's readers and with others, and compares the words: `npm run documents -- --help`.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { installOnDemand } from "../install-on-demand.ts";
import { isJudged, judgeDocument, mostSilent, type Verdict } from "./judge-document.ts";

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const help = `Usage: npm run documents -- [options] [FOLDER]

Makes some 330 documents with docx, pdfkit, LibreOffice and pandoc, takes those of mammoth's tests, reads each as document_read does and by a second
reader, and compares the words. Ends with 1 where a document lacks more than ${percent(mostSilent)} of the words that the second reader finds, and no note tells it.

  FOLDER        judges the documents of a folder instead, whose folders are their makers
  --keep FOLDER writes the documents there and keeps them
  --json        one JSON object a document
  --all         names all documents that differ, also by less
  --help        print this text`;

const flag = { type: "boolean", default: false } as const;
const options = { json: flag, all: flag, help: flag, keep: { type: "string" } } as const;
const here = import.meta.dirname;

async function main(): Promise<number> {
  const asked = readOptions();
  if ("text" in asked) {
    (asked.code === 0 ? console.log : console.error)(asked.text);
    return asked.code;
  }
  const { given, keep } = asked;
  const missing = given === undefined ? absent(programs) : absent(programs.slice(0, 1));
  if (missing.length > 0) {
    console.error(
      `Missing: ${missing.map(({ program }) => program).join(", ")}. On Debian: apt-get install ${missing.map((each) => each.debian).join(" ")}.`,
    );
    return 2;
  }
  const folder = given ?? keep ?? mkdtempSync(join(tmpdir(), "toolwright-documents-"));
  try {
    if (given === undefined) {
      await installOnDemand(join(here, "make"));
      execFileSync(process.execPath, [join(here, "make/make.ts"), folder], { stdio: "inherit" });
    }
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort().filter(isJudged);
    const verdicts: Verdict[] = [];
    for (const path of paths) verdicts.push({ ...(await judgeDocument(join(folder, path))), path });
    return report(verdicts, asked);
  } finally {
    if (folder !== given && folder !== keep) rmSync(folder, { recursive: true, force: true });
  }
}

interface Asked {
  readonly given: string | undefined;
  readonly keep: string | undefined;
  readonly json: boolean;
  readonly all: boolean;
}

function readOptions(): Asked | { readonly text: string; readonly code: number } {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (values.help) return { text: help, code: 0 };
    const [given, ...others] = positionals;
    if (others.length > 0 || (given !== undefined && !statSync(given).isDirectory())) return { text: help, code: 2 };
    const keep = values.keep === undefined ? undefined : resolve(values.keep);
    return { given, keep, json: values.json, all: values.all };
  } catch {
    return { text: help, code: 2 };
  }
}

/** What is not of npm: `pdftotext` reads, the others make documents. */
const programs = [
  { program: "pdftotext", debian: "poppler-utils", args: ["-v"] },
  { program: "soffice", debian: "libreoffice-writer libreoffice-calc", args: ["--version"] },
  { program: "pandoc", debian: "pandoc", args: ["--version"] },
] as const;

const absent = (wanted: readonly (typeof programs)[number][]) =>
  wanted.filter(({ program, args }) => spawnSync(program, args, { stdio: "ignore" }).error !== undefined);

const shareOf = ({ silent, words }: Verdict) => (words === 0 ? 0 : silent.length / words);
const greatest = (verdicts: readonly Verdict[]) => verdicts.reduce((most, each) => Math.max(most, shareOf(each)), 0);

function report(verdicts: readonly Verdict[], { json, all }: Asked): number {
  const failed = verdicts.filter(({ is }) => is === "fails");
  if (json) for (const verdict of verdicts) console.log(JSON.stringify(verdict));
  else {
    const named = all ? verdicts.filter(({ is, silent, extra }) => is === "fails" || silent.length + extra.length > 0) : failed;
    for (const each of named) console.log(describe(each));
    console.log(["", ...tableOf(verdicts)].join("\n"));
    const count = (is: Verdict["is"]) => verdicts.filter((each) => each.is === is).length;
    console.log(
      `\n${verdicts.length} documents: ${count("agrees")} agree, of ${count("told")} a note or a refusal tells what is missing, ${failed.length} fail. ` +
        `The greatest silent difference is ${percent(greatest(verdicts))}.`,
    );
  }
  return failed.length === 0 && verdicts.length > 0 ? 0 : 1;
}

function describe(verdict: Verdict): string {
  const { path, is, silent, words, extra, notes } = verdict;
  const list = (all: readonly string[]) => `${all.slice(0, 40).join(" ")}${all.length > 40 ? ` and ${all.length - 40} more` : ""}`;
  return [
    `${is.padEnd(7)} ${relative(".", path)}  ${silent.length} of ${words} words (${percent(shareOf(verdict))})`,
    ...(silent.length > 0 ? [`  missing: ${list(silent)}`] : []),
    ...(extra.length > 0 ? [`  ours alone: ${list(extra)}`] : []),
    ...notes.map((note) => `  note: ${note}`),
  ].join("\n");
}

function tableOf(verdicts: readonly Verdict[]): readonly string[] {
  const groups = Map.groupBy(verdicts, ({ path, kind }) => `${kind.padEnd(7)} ${path.includes("/") ? path.split("/")[0] : ""}`);
  const row = (cells: readonly (string | number)[]) =>
    cells.map((cell, at) => (at === 0 ? `${cell}`.padEnd(22) : `${cell}`.padStart(10))).join("");
  const rows = [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, of]) => {
      const count = (is: Verdict["is"]) => of.filter((each) => each.is === is).length;
      const sum = (number: (each: Verdict) => number) => of.reduce((total, each) => total + number(each), 0);
      return row([
        name,
        of.length,
        count("agrees"),
        count("told"),
        count("fails"),
        sum(({ words }) => words),
        sum(({ silent }) => silent.length),
        percent(greatest(of)),
      ]);
    });
  return [row(["format  maker", "documents", "agree", "told", "fail", "words", "silent", "greatest"]), ...rows];
}

process.exitCode = await main();
