import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runIn } from "../../packages/cli/test/test-io.ts";
import { root } from "../architecture/source-files.ts";
import { canSandbox } from "./sandbox-here.ts";

const sandboxed = await canSandbox();

/**
 * Types every command of a page, in order, in a fresh folder. A fence of shell commands that cannot be typed has the reason before it, as
 * `<!-- not typed: REASON -->`. A comment may promise an exit code (`# exit code 4`); `<id>` is the newest id that was printed; a fence of
 * plain text behind the commands is what the last of them prints.
 */
interface Block {
  readonly commands: readonly string[];
  readonly expected: string | undefined;
  readonly skipped: string | undefined;
}

const fence = /(?:<!-- not typed: ([^>]+) -->\n+)?^```sh\n([\s\S]*?)^```$(?:\n+^```text\n([\s\S]*?)^```$)?/gm;

function readBlocks(page: string): readonly Block[] {
  return Array.from(readFileSync(join(root, page), "utf8").matchAll(fence), ([, skipped, text = "", expected]) => ({
    skipped,
    expected,
    commands: text
      .replace(/\\\n/g, "")
      .split("\n")
      .filter((line) => line.trim() !== "" && !line.startsWith("#")),
  }));
}

const pages = globSync(["README.md", "docs/guide/*.md"], { cwd: root }).sort();
const typed = pages.filter((page) => readBlocks(page).some(({ skipped }) => skipped === undefined));

let folder: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwright-typed-"));
  database = await createServerDatabase();
  // What frameworks install beside their examples is tens of thousands of files.
  const filter = (path: string) => basename(path) !== "node_modules";
  await cp(join(root, "examples"), join(folder, "examples"), { recursive: true, filter });
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await database.drop();
});

test("pages hold commands that are typed here", () => {
  expect(typed).toContain("README.md");
  expect(typed.length).toBeGreaterThan(4);
});

test.runIf(sandboxed).each(typed)(
  "%s runs as typed",
  async (page) => {
    const shell = new Shell(folder, { DATABASE_URL: database.url });
    for (const { commands, expected, skipped } of readBlocks(page)) {
      if (skipped !== undefined) continue;
      let out = "";
      for (const line of commands) {
        const ran = await shell.type(line);
        const code = Number(/# .*exit code (\d+)/.exec(line)?.[1] ?? 0);
        expect(ran.code, `${line}\n${ran.out}${ran.err}`).toBe(code);
        out = ran.out;
      }
      if (expected !== undefined) expect(out.trimEnd()).toBe(expected.trimEnd());
    }
  },
  120_000,
);

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A shell in which `toolwright` runs in this process, so that a page of twenty commands takes seconds; bash does the rest. */
class Shell {
  readonly #folder: string;
  readonly #env: Record<string, string>;
  #lastId = "";

  constructor(cwd: string, env: Record<string, string>) {
    this.#folder = cwd;
    this.#env = env;
  }

  async type(line: string): Promise<Ran> {
    const command = line.replace(/\s+#.*$/, "").replaceAll("<id>", this.#lastId);
    let last: Ran = { code: 0, out: "", err: "" };
    for (const part of split(command, "&&")) {
      last = await this.#pipe(part.trim());
      if (last.code !== 0) break;
    }
    const ids = `${last.out}\n${last.err}`.match(/\b(?:apr|grant|grt|call|job|art)_[\w-]{8,}/g);
    this.#lastId = ids?.[0] ?? this.#lastId;
    return last;
  }

  async #pipe(command: string): Promise<Ran> {
    let last: Ran = { code: 0, out: "", err: "" };
    for (const part of split(command, "|")) {
      last = await this.#run(part.trim(), last.out);
      if (last.code !== 0) break;
    }
    return last;
  }

  async #run(command: string, stdin: string): Promise<Ran> {
    const program = /^(?:npx )?toolwright\s+/.exec(command)?.[0];
    if (program === undefined) return this.#bash(command, stdin);
    const [, words = "", file] = /^(.*?)(?: > (\S+))?$/.exec(command.slice(program.length)) ?? [];
    const given = { env: this.#env, readStdin: async () => stdin };
    const ran = await runIn(this.#folder, readWords(words), given);
    if (file !== undefined) await writeFile(join(this.#folder, file), ran.out);
    return file === undefined ? ran : { ...ran, out: "" };
  }

  #bash(command: string, stdin: string): Ran {
    const example = /^npm run example (\S+)$/.exec(command)?.[1];
    const script = example === undefined ? command : `node ${join(root, "scripts/example.ts")} ${example}`;
    try {
      const out = execFileSync("bash", ["-c", script], { cwd: this.#folder, input: stdin, encoding: "utf8", stdio: "pipe" });
      return { code: 0, out, err: "" };
    } catch (error) {
      const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
      return { code: status, out: stdout, err: stderr };
    }
  }
}

/** Outside of quotes. */
function split(text: string, separator: string): readonly string[] {
  const parts = [""];
  let quote: string | undefined;
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string;
    if (quote === undefined && text.startsWith(separator, index)) {
      parts.push("");
      index += separator.length - 1;
      continue;
    }
    if (char === quote) quote = undefined;
    else if (quote === undefined && (char === "'" || char === '"')) quote = char;
    parts[parts.length - 1] += char;
  }
  return parts;
}

/** Words of a command line without expansions, which pages do not use. */
function readWords(text: string): string[] {
  return Array.from(text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g), ([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}
