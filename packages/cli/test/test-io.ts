import { join } from "node:path";
import type { Io } from "../src/io.ts";
import { runProgram } from "../src/program.ts";

/** All that a command wrote. */
export interface Said {
  out: string;
  err: string;
}

/** A process of its own in `cwd`: nobody at a terminal, nothing on stdin, no signal. What is given stands in the place of that. */
export function createTestIo(cwd: string, given: Partial<Io> = {}): { readonly io: Io; readonly said: Said } {
  const said: Said = { out: "", err: "" };
  const io: Io = {
    cwd,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    outBytes: async () => {},
    readStdin: async () => "",
    inputEnded: async () => {},
    isInteractive: false,
    outIsTerminal: false,
    columns: 200,
    ask: async () => undefined,
    signal: new AbortController().signal,
    ...given,
    // With the template of new stores that the tests share.
    env: { HOME: join(cwd, "home"), PATH: process.env.PATH, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE, ...given.env },
  };
  return { io, said };
}

/** Runs one command line in `cwd`, in this process. */
export async function runIn(cwd: string, argv: readonly string[], given: Partial<Io> = {}): Promise<Said & { readonly code: number }> {
  const { io, said } = createTestIo(cwd, given);
  return { code: await runProgram(argv, io), ...said };
}
