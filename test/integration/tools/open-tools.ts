import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, type Effects, isFailure, type MediaBlock } from "@toolwright/engine";
import { capabilitiesOf } from "@toolwright/engine/catalogue";
import type { SandboxDriver } from "@toolwright/engine/ports";
import { execCapability, filesCapability } from "@toolwright/sandbox";
import { createCallSite } from "@toolwright/sandbox/testing";
import type { z } from "zod";

interface Answer<Output> {
  readonly output: Output;
  /** The text that a model reads. */
  readonly text: string;
  /** What the tool noted, and the images that it showed. */
  readonly notes: readonly string[];
  readonly shown: readonly MediaBlock[];
}

type OutputOf<Tool extends AnyTool> = z.output<Tool["output"]>;

/** A workspace on disk, and the built-in tools on real capabilities, each call as the gate would make it. */
export function openTools(driver: SandboxDriver, changes: Parameters<typeof createCallSite>[0] = {}) {
  const workspace = mkdtempSync(join(tmpdir(), "toolwright-tools-"));
  const providers = [
    filesCapability({ workspaceOf: () => workspace, driver }),
    execCapability({ drivers: [driver], workspaceOf: () => workspace }),
  ];
  const site = createCallSite({ ...changes, sandbox: { mode: driver.name, ...changes.sandbox } });

  const attempt = async (tool: AnyTool, input: object, notes: string[] = [], shown: MediaBlock[] = []): Promise<unknown> => {
    const base = { note: (sentence: string) => notes.push(sentence), show: (block: MediaBlock) => shown.push(block) };
    const effects = (tool.effects ?? {}) as Effects;
    const handles = capabilitiesOf(effects).map((name) => {
      const provider = providers.find((candidate) => candidate.name === name)!;
      return [name, provider.open(effects[name] as never, site)];
    });
    return await tool.run((tool.input as z.ZodObject).parse(input) as never, { ...base, ...Object.fromEntries(handles) } as never);
  };

  return {
    workspace,
    site,
    async call<Tool extends AnyTool>(tool: Tool, input: object): Promise<Answer<OutputOf<Tool>>> {
      const notes: string[] = [];
      const shown: MediaBlock[] = [];
      const result = await attempt(tool, input, notes, shown);
      if (isFailure(result)) throw new Error(`${result.code}: ${result.message}`);
      const output = (tool.output as z.ZodObject).strict().parse(result) as OutputOf<Tool>;
      const blocks = tool.toModel?.(output as never) ?? [];
      return { output, text: blocks.map((block) => (block.type === "text" ? block.text : block.type)).join("\n"), notes, shown };
    },
    /** The error or failure that a call ends with. */
    async refusal(tool: AnyTool, input: object): Promise<{ code: string; message: string }> {
      const result = await attempt(tool, input).catch((error: unknown) => error);
      if (isFailure(result) || (result instanceof Error && "code" in result)) return result as unknown as { code: string; message: string };
      throw new Error(`The call was not refused: ${JSON.stringify(result)}`);
    },
    async close() {
      await Promise.all(providers.map((provider) => provider.close?.()));
      rmSync(workspace, { recursive: true, force: true });
    },
  };
}
