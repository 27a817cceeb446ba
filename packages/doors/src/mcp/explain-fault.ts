import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { ToolwrightError } from "@toolwright/engine";

/** What the protocol layer's schemas find at a place of a message. */
interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const mostIssues = 3;

/** An error of the protocol layer in words: it holds the findings of a schema as JSON, where the caller's message does not fit. */
export function explainFault(method: string, error: unknown): unknown {
  if (!(error instanceof Error) || ToolwrightError.is(error)) return error;
  const issues = issuesIn(error.message);
  if (issues === undefined) return error;
  // What a tool gave is no fault of the caller, and its place says where.
  const what = error.message.startsWith("Invalid") && error.message.includes(" result: ") ? "result" : "request";
  const shown = issues.slice(0, mostIssues).map(explainIssue);
  const more = issues.length > mostIssues ? [`${issues.length - mostIssues} more places do not fit.`] : [];
  return new ProtocolError(ProtocolErrorCode.InvalidParams, [`The ${method} ${what} does not fit.`, ...shown, ...more].join(" "));
}

function explainIssue({ path, message }: Issue): string {
  const place = path.length === 0 ? "It" : path.join(".");
  const problem = message.replace(/^Invalid (?:input|option): /, "").replace(/\.$/, "");
  return `${place}: ${problem}.`;
}

function issuesIn(message: string): readonly Issue[] | undefined {
  const start = message.indexOf("[\n");
  if (start === -1) return undefined;
  try {
    const issues: unknown = JSON.parse(message.slice(start));
    return Array.isArray(issues) && issues.length > 0 && issues.every(isIssue) ? issues : undefined;
  } catch {
    return undefined;
  }
}

function isIssue(value: unknown): value is Issue {
  const { path, message } = (value ?? {}) as { readonly path?: unknown; readonly message?: unknown };
  return Array.isArray(path) && typeof message === "string";
}
