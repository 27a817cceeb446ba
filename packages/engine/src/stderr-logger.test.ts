import { expect, test, vi } from "vitest";
import { z } from "zod";
import { createEngine } from "./engine.ts";
import { createStderrLogger, silentLogger } from "./ports/logger.ts";
import { defineTool } from "./tool/define-tool.ts";

const needy = defineTool({
  name: "needy",
  description: "Needs a variable.",
  input: z.object({}),
  output: z.object({}),
  requiredEnv: ["NOT_SET"],
  run: () => ({}),
});

test("an engine without a logger writes its warnings to stderr, each once; a silent one writes nothing", () => {
  const lines: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  try {
    createEngine({ logger: silentLogger }).register([needy]);
    expect(lines).toEqual([]);
    const engine = createEngine();
    engine.register([needy], "a");
    engine.register([needy], "a");
  } finally {
    stderr.mockRestore();
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^toolwright warn: .*needy.*NOT_SET.*\n$/);
});

test("a line holds no control characters, and what is no warning is left out", () => {
  const lines: string[] = [];
  const logger = createStderrLogger((line) => lines.push(line));
  logger.log("info", "ready");
  logger.log("error", "first\nsecond \u001b[31m", { host: "a\nb" });
  logger.log("warn", "no JSON", { count: 1n });
  expect(lines).toEqual([
    'toolwright error: first second  [31m {"host":"a\\nb"}\n',
    "toolwright warn: no JSON (fields that are no JSON)\n",
  ]);
});

test("what a logger has written is forgotten after a thousand messages, so that it stays small", () => {
  const lines: string[] = [];
  const logger = createStderrLogger((line) => lines.push(line));
  for (let index = 0; index < 1_001; index++) logger.log("warn", `message ${index}`);
  logger.log("warn", "message 1000");
  logger.log("warn", "message 0");
  expect(lines).toHaveLength(1_002);
});
