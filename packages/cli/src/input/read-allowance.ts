import type { JsonObject } from "@toolwright/engine";
import { digest, type GrantPredicate } from "@toolwright/engine/ports";
import { CliError } from "../cli-error.ts";

/** What a person allows a job beforehand: `input`, `command PATTERN`, `path ACCESS PREFIX` or
 * `request METHOD HOST`, with the name of a secret behind it when one is sent along. */
export function readAllowance(words: string, input: JsonObject): GrantPredicate {
  const [kind, first = "", second = "", third] = words.trim().split(/\s+/);
  const rest = words
    .trim()
    .slice((kind ?? "").length)
    .trim();
  if (kind === "input" && rest === "") return { kind, digest: digest(input) };
  if (kind === "command" && rest !== "") return { kind, pattern: rest };
  if (kind === "path" && isAccess(first) && second !== "") return { kind, access: first, prefix: second };
  if (kind === "request" && second !== "")
    return { kind, method: first.toUpperCase(), host: second, ...(third !== undefined && { credential: third }) };
  throw new CliError(
    `"${words}" says nothing that can be allowed. Write "input" (for exactly this input), "command git status *", "path write docs" or "request GET api.example.org".`,
  );
}

const isAccess = (word: string): word is "read" | "write" | "delete" => word === "read" || word === "write" || word === "delete";
