import { readPublicOrigin } from "@toolwright/server/http";
import type { Io } from "../io.ts";

interface Links {
  /** With which links to pages of the server begin. */
  readonly origin: string;
  /** Says on stderr that nobody said where the server is, where that is so. */
  tellGuess(): void;
}

const usualOrigin = "http://127.0.0.1:7777";

/** Where people reach the server: as --server or `TOOLWRIGHT_URL` says, else where it listens when nobody says otherwise. */
export function linksOf({ env, err }: Pick<Io, "env" | "err">, server?: string): Links {
  const named = server === undefined ? readPublicOrigin(env) : server.replace(/(?<!\/)\/+$/, "");
  const tellGuess = () => {
    if (named === undefined) err(`The link leads to ${usualOrigin}. If the server is somewhere else, set TOOLWRIGHT_URL.\n`);
  };
  return { origin: named ?? usualOrigin, tellGuess };
}
