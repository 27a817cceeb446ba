import { asQuestion, type Question, say } from "../../tool/question.ts";
import type { ParsedCall } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";

/** What a person is asked about the call, for every door: the tool's own words, else its title, its input and what its effects come to. */
export function askInWords({ call, tool }: ParsedCall, { logger }: Pick<GateParts, "logger">): Question {
  // Sensitive members are lengths here.
  const { input, redactor } = call;
  try {
    const asked = tool.definition.ask?.(input as never, say);
    if (asked) return asQuestion(redactor.redact(asked));
  } catch (error) {
    logger.log("warn", "A tool could not say what it asks.", { tool: tool.name, callId: call.id, error: redactor.redact(String(error)) });
  }
  const given = redactor.redact(JSON.stringify(input));
  return asQuestion(`${tool.title}${given === "{}" ? "" : say` with ${given}`}? ${consequenceOf(tool)}`);
}

function consequenceOf({ hints: { readOnlyHint, destructiveHint, openWorldHint } }: ParsedCall["tool"]): string {
  const what = readOnlyHint ? "changes nothing" : destructiveHint ? "may remove data" : "may change data";
  return `As declared, it ${what}${openWorldHint ? " and reaches other machines" : ""}.`;
}
