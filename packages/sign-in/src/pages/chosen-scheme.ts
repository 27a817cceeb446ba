import type { Scheme } from "../html/document.ts";

/** The scheme that a person chose in the console, which writes it into this cookie for the pages without script. */
export function chosenScheme({ headers }: Pick<Request, "headers">): Scheme | undefined {
  const [, scheme] = /(?:^|;\s*)toolwright-scheme=(light|dark)(?:;|$)/.exec(headers.get("cookie") ?? "") ?? [];
  return scheme as Scheme | undefined;
}
