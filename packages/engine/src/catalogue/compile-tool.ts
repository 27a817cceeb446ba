import { ToolwrightError } from "../contract/errors.ts";
import type { ToolFacts } from "../policy/compile-policy.ts";
import type { CapabilityName } from "../ports/capability.ts";
import type { CodeMark } from "../ports/module-source.ts";
import type { AnyTool } from "../tool/define-tool.ts";
import { capabilitiesOf, type EffectHints, type Effects, hintsOf, type ToolWeight, type Weights, weighEffects } from "../tool/effects.ts";
import type { RegisteredSpecs } from "./check-presentation.ts";
import { compileParts, type SchemaParts, wasChecked } from "./compile-parts.ts";

/** Where a definition came from. */
export interface Origin {
  readonly kind: "builtin" | "pack" | "embedder" | "tenant";
  /** The file, or the name that the embedder gave. */
  readonly source: string;
  /** Digest of what it executes, where that is not the text of its `run`: the stored definition of a tenant's tool. */
  readonly executes?: string;
}

/** A definition that passed every check, with everything that is worked out once. */
export interface CompiledTool extends SchemaParts {
  readonly definition: AnyTool;
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly effects: Effects;
  readonly hints: EffectHints;
  readonly capabilities: readonly CapabilityName[];
  /** True when it can change something, here or elsewhere. */
  readonly changes: boolean;
  readonly facts: ToolFacts & { readonly weight: ToolWeight };
  readonly origin: Origin;
  /** The files and packages that it is made of, where its source can say. */
  readonly code: readonly CodeMark[];
}

const namePattern = /^[a-z][a-z0-9_-]{0,63}$/;

/** The files and packages of a definition, and how the capabilities of this process weigh. */
export interface CompileOptions {
  readonly code?: readonly CodeMark[] | undefined;
  readonly weights?: Weights | undefined;
  readonly registered?: RegisteredSpecs | undefined;
}

/** Checks a definition and works out what every call needs. Throws `definition_invalid` or `schema_refused`, of one that was checked before only when its schemas are first asked for. */
export function compileTool(definition: AnyTool, origin: Origin, { code = [], weights, registered }: CompileOptions = {}): CompiledTool {
  const effects = definition.effects ?? {};
  const weight = weighEffects(effects, weights);
  checkShape(definition, origin, weight);
  const { name } = definition;
  const group = definition.group ?? "custom";
  const approval = definition.approval ?? "auto";
  const tool = {
    definition,
    name,
    title: definition.title ?? titleFrom(name),
    group,
    effects,
    hints: hintsOf(effects, weight),
    capabilities: capabilitiesOf(effects),
    changes: weight.changes,
    facts: { name, group, effects, approval, weight },
    origin,
    code,
  };
  const compile = () => compileParts(definition, { origin, code, registered });
  if (!wasChecked(definition)) return { ...tool, ...compile() };
  let made: SchemaParts | undefined;
  const parts = () => {
    made ??= compile();
    return made;
  };
  return {
    ...tool,
    get output() {
      return parts().output;
    },
    get presentation() {
      return parts().presentation;
    },
    get hash() {
      return parts().hash;
    },
    get body() {
      return parts().body;
    },
    input: (context) => parts().input(context),
  };
}

function checkShape(definition: AnyTool, origin: Origin, weight: ToolWeight): void {
  const refuse = (problem: string) => {
    throw new ToolwrightError("definition_invalid", `${origin.source}: ${problem}`);
  };
  if (typeof definition.name !== "string" || !namePattern.test(definition.name)) {
    refuse(`the name ${JSON.stringify(definition.name)} is not allowed. Use a lower-case letter, then up to 63 of a-z, 0-9, "_" and "-".`);
  }
  if (typeof definition.description !== "string" || definition.description.trim() === "") {
    refuse(`tool "${definition.name}" has no description. Say when to use it and when not: a model reads nothing else.`);
  }
  if (hasHiddenCharacters(definition.description) || hasHiddenCharacters(definition.title ?? "")) {
    refuse(`tool "${definition.name}" has invisible or direction-changing characters in its title or description. Remove them.`);
  }
  if (typeof definition.run !== "function") refuse(`tool "${definition.name}" has no run function.`);
  checkParts(definition, weight, refuse);
  if (definition.output === undefined) refuse(`tool "${definition.name}" has no output schema. Add \`output: z.object({...})\`.`);
  if (definition.input === undefined)
    refuse(`tool "${definition.name}" has no input schema. Add \`input: z.object({})\` when it takes nothing.`);
}

const partPattern = /^((group:)?[a-z][a-z0-9_-]{0,63}|\*)$/;

function checkParts({ name, effects = {} }: AnyTool, { changes }: ToolWeight, refuse: (problem: string) => void): void {
  const { tools } = effects;
  if (tools === undefined) return;
  if (!Array.isArray(tools) || !tools.every((part) => typeof part === "string" && partPattern.test(part)))
    refuse(
      `tool "${name}" has the effect tools with ${JSON.stringify(tools)}. List names of tools and groups: ["file_read", "group:net"], ["*"] for every tool, or [] to wait alone.`,
    );
  if (changes && effects.idempotent !== true)
    refuse(
      `tool "${name}" calls other tools and changes something itself. When a part waits for a person its handler runs again from the start: make that harmless and say \`idempotent: true\`, or move the change into a tool that it calls.`,
    );
}

/** Zero-width, bidirectional and tag characters: text that a person cannot see but a model reads. */
export function hasHiddenCharacters(text: string): boolean {
  return /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/u.test(text) || /[\u{e0000}-\u{e007f}]/u.test(text);
}

function titleFrom(name: string): string {
  const words = name.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
