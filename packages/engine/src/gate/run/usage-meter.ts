import { ToolwrightError } from "../../contract/errors.ts";
import type { CallUsage, UsageReport } from "../../contract/usage.ts";

const counts = ["inputTokens", "cachedInputTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens"] as const;
const mostModels = 20;
const longestModel = 200;
/** Dollars are added up in whole billionths: a sum of decimal fractions would drift. */
const billion = 1_000_000_000;
/** Dollars of one call, so that billionths stay exact. */
const mostCost = 1_000_000;

type Sums = { [Name in (typeof counts)[number] | "cost"]?: number };

/** Adds up what one call used. A call that calls others counts its own alone: theirs is in their own events. */
export class UsageMeter {
  readonly #sums: Sums = {};
  readonly #models = new Set<string>();
  #estimated = false;

  /** All of a report or, where it throws, nothing of it. */
  add(report: UsageReport): void {
    const sums = addUp(this.#sums, report);
    const { model } = report;
    if (model !== undefined && (typeof model !== "string" || model.length === 0 || model.length > longestModel))
      throw refuse(`model must be a text of 1 to ${longestModel} characters`);
    const { estimated = false } = report;
    if (typeof estimated !== "boolean") throw refuse("estimated must be true or false");
    Object.assign(this.#sums, sums);
    this.#estimated ||= estimated;
    if (model !== undefined && this.#models.size < mostModels) this.#models.add(model);
  }

  /** Undefined when nothing was reported. `redact` takes secrets out of the names. */
  total(redact: (text: string) => string): CallUsage | undefined {
    const models = [...this.#models].map(redact);
    if (models.length === 0 && Object.keys(this.#sums).length === 0) return undefined;
    return { ...(models.length > 0 && { models }), ...this.#sums, ...(this.#estimated && { estimated: true }) };
  }
}

function addUp(sums: Sums, report: UsageReport): Sums {
  if (typeof report !== "object" || report === null) throw refuse("a report is an object");
  const added: Sums = {};
  for (const name of counts) {
    const value = report[name];
    if (value === undefined) continue;
    const sum = (sums[name] ?? 0) + value;
    if (!Number.isSafeInteger(value) || value < 0 || !Number.isSafeInteger(sum))
      throw refuse(`${name} is ${String(value)}, and must be a whole number from 0 on`);
    added[name] = sum;
  }
  const { cost } = report;
  if (cost === undefined) return added;
  if (!Number.isFinite(cost) || cost < 0 || cost + (sums.cost ?? 0) > mostCost)
    throw refuse(`cost is ${String(cost)}, and must be a number of US dollars from 0 on, of ${mostCost} at most in one call`);
  added.cost = (Math.round((sums.cost ?? 0) * billion) + Math.round(cost * billion)) / billion;
  return added;
}

/** Read by the author of the tool, who is the one to do something about it. */
function refuse(problem: string): ToolwrightError {
  return new ToolwrightError(
    "tool_error",
    `ctx.usage.add refused a report: ${problem}. Nothing of it is counted. This is a defect of the tool.`,
  );
}
