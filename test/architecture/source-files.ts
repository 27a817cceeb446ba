import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** One file as the rules see it. */
export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

const patterns = [
  "packages/*/{src,bin,templates}/**/*.{ts,tsx,js}",
  "examples/**/*.ts",
  "scripts/*.{ts,mjs}",
  "test/**/*.ts",
  "bench/**/*.ts",
];

/** Every source file of the repository, installed and built ones left out. */
export function readSourceFiles(): SourceFile[] {
  return globSync(patterns, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path) })
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

export const isTestFile = (path: string) => /\.test(-d)?\.ts$/.test(path);

/** The code without comments; strings stay. Lines keep their numbers. */
export function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, " ");
  return text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*/g,
    (match, quoted) => (quoted === undefined ? blank(match) : match),
  );
}

/** Import specifiers of every kind: static, re-export, for effects, dynamic with a literal, and in types. */
export function importsOf(text: string): string[] {
  const code = withoutComments(text);
  const forms = [
    /^[ \t]*(?:import|export)\b(?:[^;"'`]*?\bfrom)?\s*["']([^"']+)["']/gm,
    /\bimport\s*\(\s*["']([^"']+)["']/g,
    /\brequire\s*\(\s*["']([^"']+)["']/g,
  ];
  return forms.flatMap((form) => Array.from(code.matchAll(form), (match) => match[1] as string));
}
