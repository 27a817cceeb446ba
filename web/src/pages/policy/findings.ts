import { RequestError } from "../../api/client.ts";
import type { Item } from "../../api/queries.ts";
import type { Mark, Path, ReadText } from "../../editor/document-text.ts";

/** What the server says in vain, as marks of the text. */
export function marksOfLint(items: readonly Item<"policy.lint">[], { rangeOf }: ReadText): readonly Mark[] {
  return items.map(({ level, document, path, message }) => {
    const place = document === 0 ? path : ["agents", document - 1, ...path];
    return { level, ...rangeOf(place), message };
  });
}

/** Why the server refuses a document, as marks of the text; undefined for an error of another kind. */
export function marksOfRefusal(error: unknown, { rangeOf }: ReadText): readonly Mark[] | undefined {
  if (!(error instanceof RequestError) || error.code !== "policy_invalid") return undefined;
  const { problems } = (error.details ?? {}) as { readonly problems?: readonly { readonly path: string; readonly text: string }[] };
  if (problems === undefined) return [{ level: "error", ...rangeOf([]), message: error.message }];
  return problems.map(({ path, text }) => ({ level: "error", ...rangeOf(partsOf(path)), message: text }));
}

/** `agents[0].tools.deny`: the members on the way; names of tools may have dots. */
export function partsOf(path: string): Path {
  const [, around, tool] = /^((?:agents\[\d+\]\.)?(?:rates|after_foreign))\.(.+)$/.exec(path) ?? [];
  const parts = [...(around ?? path).matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
  return tool === undefined ? parts : [...parts, tool];
}
