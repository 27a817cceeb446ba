import { createHash, randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { HashedToken } from "@toolwright/doors/mcp";
import { SettingsError } from "../settings-error.ts";
import { makeFolder } from "./make-folder.ts";
import { writeWhole } from "./write-whole.ts";

/** The token of this machine's server, of which the state folder has the hash alone. */
export interface KeptToken {
  /** Undefined when none was made. Throws for a file that is damaged: a server without its token would let everybody in. */
  read(): HashedToken | undefined;
  /** Makes one in the place of the one before, and gives it. */
  make(): string;
  /** False when there was none. */
  remove(): boolean;
}

export function keptToken(state: string): KeptToken {
  const file = join(state, "token.sha256");
  const read = () => {
    const text = readText(file);
    if (text === undefined) return undefined;
    const sha256 = text.trim();
    if (!/^[0-9a-f]{64}$/.test(sha256))
      throw new SettingsError(`${file} is damaged, so the server's token cannot be checked. Make another: toolwright token --replace`);
    return { sha256 };
  };
  return {
    read,
    make() {
      const token = randomBytes(32).toString("hex");
      makeFolder(state, 0o700);
      writeWhole(file, `${hashOfToken(token)}\n`, 0o600);
      return token;
    },
    remove() {
      const wasThere = readText(file) !== undefined;
      rmSync(file, { force: true });
      return wasThere;
    },
  };
}

/** SHA-256 in hex digits. */
export function hashOfToken(token: string | HashedToken): string {
  return typeof token === "string" ? createHash("sha256").update(token, "utf8").digest("hex") : token.sha256;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SettingsError(
      `The hash of the server's token, ${file}, cannot be read: ${(cause as Error).message}. Make it readable for this user.`,
      {
        cause,
      },
    );
  }
}
