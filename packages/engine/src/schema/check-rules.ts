import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import { nearestName } from "../contract/nearest-name.ts";
import { type SchemaRule, schemaRules } from "./rules.ts";
import { type SchemaPath, walkNodes } from "./schema-node.ts";

interface SchemaProblem {
  readonly rule: string;
  /** Where in the value, e.g. `/filters/[]/url`; "/" is the whole. */
  readonly path: string;
  readonly problem: string;
  readonly fix: string;
}

export interface CompileOptions {
  readonly tool: string;
  readonly exceptions?: readonly string[];
}

/** Collects the problems of one schema, without those that the tool excepts. */
export class ProblemList {
  readonly #found = new Map<string, SchemaProblem>();
  readonly #excepted: ReadonlySet<string>;
  readonly #options: CompileOptions;
  readonly side: "input" | "output";

  constructor(side: "input" | "output", options: CompileOptions) {
    this.side = side;
    this.#options = options;
    this.#excepted = new Set(options.exceptions);
    for (const name of this.#excepted) this.#checkException(name);
  }

  /** The rules that hold for this side and are not excepted. */
  get rules(): readonly SchemaRule[] {
    return schemaRules.filter((rule) => (rule.side === "both" || rule.side === this.side) && !this.#excepted.has(rule.name));
  }

  add(rule: string, path: SchemaPath, breach: { member?: string; problem: string; fix: string }): void {
    const place = valuePath(breach.member === undefined ? path : [...path, "properties", breach.member]);
    const { problem, fix } = breach;
    const key = `${rule} ${place}`;
    if (!this.#found.has(key)) this.#found.set(key, { rule, path: place, problem, fix });
  }

  checkJson(json: JsonObject): void {
    const rules = this.rules;
    walkNodes(json, (node, path) => {
      for (const rule of rules) for (const breach of rule.inJson?.(node, path) ?? []) this.add(rule.name, path, breach);
    });
  }

  /** Throws `schema_refused` with every problem when there is one. */
  settle(): void {
    const problems = [...this.#found.values()];
    if (problems.length === 0) return;
    const lines = problems.map(({ rule, path, problem, fix }) => `${path} ${problem} (${rule}). ${fix}`);
    throw new ToolwrightError("schema_refused", `The ${this.side} schema of tool "${this.#options.tool}" was refused: ${lines.join(" ")}`, {
      details: problems.map((problem) => ({ ...problem })),
    });
  }

  #checkException(name: string): void {
    const rule = schemaRules.find((candidate) => candidate.name === name);
    if (rule?.exceptable) return;
    const names = schemaRules.filter((candidate) => candidate.exceptable).map((candidate) => candidate.name);
    const nearest = nearestName(name, names);
    const hint = rule ? "That rule allows no exception." : `Did you mean "${nearest}"?`;
    throw new ToolwrightError(
      "schema_refused",
      `Tool "${this.#options.tool}" excepts the schema rule "${name}". ${rule || nearest ? hint : `Rules that can be excepted: ${names.join(", ")}.`}`,
      { details: [{ rule: name, path: "/", problem: "is not a rule that can be excepted", fix: `Use one of ${names.join(", ")}.` }] },
    );
  }
}

/** Turns a path through a schema into a path through its values: `["properties","a","items"]` is `/a/[]`. */
function valuePath(path: SchemaPath): string {
  const parts: (string | number)[] = [];
  for (let index = 0; index < path.length; index++) {
    const keyword = path[index];
    if (keyword === "items") parts.push("[]");
    else if (keyword === "additionalProperties") parts.push("*");
    else if (keyword === "properties") parts.push(path[++index]!);
    else if (keyword === "prefixItems") parts.push(path[++index]!);
    else if (keyword === "$defs") parts.push(`#${path[++index]}`);
    else if (keyword === "anyOf" || keyword === "oneOf" || keyword === "allOf") index++;
  }
  return `/${parts.join("/")}`;
}
