import { expect, test } from "vitest";
import { analyseLine, type InnerCommand } from "../../../packages/commands/src/read/analyse-line.ts";
import { createChooser, generateLine, recorded } from "./command-grammar.ts";
import { canRecord, type Observation, observeLines } from "./shell-recorder.ts";

/** Lines that are understood and run; 20,000 for a long run. */
const runs = Number(process.env.TOOLWRIGHT_FUZZ_COMMANDS ?? 500);
const seed = Number(process.env.TOOLWRIGHT_FUZZ_SEED ?? Date.now() % 2 ** 32);

const plain: ReadonlySet<string> = new Set([...recorded, "echo", "true", ":", "printf", "cat", "find", "", "C1", "./c1"]);

interface Understood {
  readonly line: string;
  readonly commands: readonly InnerCommand[];
}

function generateUnderstood(count: number): readonly Understood[] {
  const chooser = createChooser(seed);
  const understood: Understood[] = [];
  while (understood.length < count) {
    const line = generateLine(chooser);
    const analysis = analyseLine(line);
    if (analysis.ok && analysis.commands.every(isPlain)) understood.push({ line, commands: analysis.commands });
  }
  return understood;
}

/** Not one of the programs that run what their arguments say in a way that is not looked through: those always ask. */
function isPlain({ argv }: InnerCommand): boolean {
  const name = argv[0]?.text ?? "";
  return plain.has(name) && !argv.some(({ text }) => text === "-exec");
}

/** Where an exit status stands, any digits do. */
function isText({ text, status }: InnerCommand["argv"][number], started: string): boolean {
  return status
    ? new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("\\$\\?", "\\d+")}$`).test(started)
    : text === started;
}

/** A started argv is named when some level of a command is the same, up to where words expand or are added. */
function isNamed(started: readonly string[], command: InnerCommand): boolean {
  return command.levels.some((level) => {
    const open = level.findIndex((word) => word.glob || word.tilde);
    const fixed = open < 0 ? level : level.slice(0, open);
    const added = open >= 0 || command.appended;
    return (added || fixed.length === started.length) && fixed.every((word, index) => isText(word, started[index] ?? ""));
  });
}

/** What bash did that the analysis did not say. */
function findUnnamed({ commands }: Understood, { started, files }: Observation): readonly string[] {
  const written = commands.flatMap(({ redirects }) =>
    redirects.flatMap((redirect) => ("target" in redirect ? [redirect.target.text.replace(/^\.\//, "")] : [])),
  );
  return [
    ...started.filter((argv) => !commands.some((command) => isNamed(argv, command))).map((argv) => `started ${JSON.stringify(argv)}`),
    ...files.filter((file) => !written.includes(file) && file !== "nohup.out").map((file) => `wrote ${JSON.stringify(file)}`),
  ];
}

test.skipIf(!canRecord)("the recorder sees what runs and what is written", () => {
  const [hidden, quoted] = observeLines(["c1 'a b' $(c2 x) > f", "sh -c 'c1 \"c2\"'"]);
  expect(hidden).toEqual({
    started: [
      ["c2", "x"],
      ["c1", "a b"],
    ],
    files: ["f"],
  });
  expect(quoted?.started).toEqual([["c1", "c2"]]);
});

test.skipIf(!canRecord)(
  `bash starts no program and writes no file that the analysis did not name (R-EX-4, ${runs} lines, seed ${seed})`,
  { timeout: 1_200_000 },
  () => {
    const understood = generateUnderstood(runs);
    let startedAnything = 0;
    for (const [index, observation] of observeLines(understood.map(({ line }) => line)).entries()) {
      const item = understood[index] as Understood;
      expect(findUnnamed(item, observation), `seed ${seed}, line ${index}: ${JSON.stringify(item.line)}`).toEqual([]);
      if (observation.started.length > 0) startedAnything++;
    }
    expect(startedAnything).toBeGreaterThan(runs / 4);
  },
);
