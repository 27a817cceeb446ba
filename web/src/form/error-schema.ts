/** A part of an input that does not fit: `path` is a JSON pointer. */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
}

interface Errors {
  __errors?: string[];
  [name: string]: Errors | string[] | undefined;
}

/** Puts each issue where rjsf looks for the errors of that field. Without a pointer it is the whole input's. */
export function errorSchemaOf(issues: readonly InputIssue[]): Errors {
  const root: Errors = {};
  for (const { path, message } of issues) {
    let at = root;
    for (const name of partsOf(path)) {
      if (!Object.hasOwn(at, name)) at[name] = {};
      at = at[name] as Errors;
    }
    at.__errors = [...(at.__errors ?? []), message];
  }
  return root;
}

export function partsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
