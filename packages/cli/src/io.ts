import type { Principal } from "@toolwright/engine";
import type { ServerIo, Toolwright } from "@toolwright/server";
import type { LivePage, OpenFront } from "@toolwright/server/http";
import type { OpenedStdio } from "./stdio/open-stdio.ts";

/** What a command has of the process. Commands reach nothing else, so that a test can stand in for all of it. */
export interface Io extends ServerIo {
  /** Results. */
  out(text: string): void;
  /** Resolves when the reader has room for more. */
  outBytes(bytes: Uint8Array): Promise<void>;
  /** Everything else: progress, notices, errors. */
  err(text: string): void;
  readStdin(): Promise<string>;
  /** The connection at stdin, where its first message was read before the command was loaded. */
  readonly opened?: OpenedStdio;
  /** Resolves when stdin ends or breaks. */
  inputEnded(): Promise<void>;
  /** Ends the process after so many milliseconds, also in the middle of a call; the last one counts. After a signal it is 2.5 s. */
  endWithin?(ms: number): void;
  /** True when a person sits in front of stdin and stderr. */
  readonly isInteractive: boolean;
  /** True when results go to a screen. */
  readonly outIsTerminal: boolean;
  /** True when everything else goes to a screen; default: where a person sits. */
  readonly errIsTerminal?: boolean;
  /** Width of the screen. */
  readonly columns: number;
  /** Asks a person; undefined when the input ended. Hidden: what they type is not shown. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>;
  /** Lets other processes of the machine go first from here on. */
  standBack?(): void;
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** The console from its sources, for who works on it. */
  readonly live?: LiveConsole | undefined;
  /** Stands in the place of this machine's engine, settings and user. */
  readonly embedding?: Embedding;
}

/** What serves the modules of pages, and the pages. */
export interface LiveConsole {
  readonly front: OpenFront;
  readonly page: LivePage;
}

/** A command also has the program that it is part of. */
export interface CommandIo extends Io {
  readonly runProgram: RunProgram;
}

/** Runs one command line. Never rejects; resolves with the exit code. */
export type RunProgram = (argv: readonly string[], io: Io) => Promise<number>;

/** An engine that is there already, and who types: for the suite that holds the command line against other doors. */
export interface Embedding {
  readonly toolwright: Toolwright;
  readonly principal: Principal;
  readonly session: string;
}
