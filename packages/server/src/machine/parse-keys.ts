import { ToolwrightError } from "@toolwright/engine";
import { type MasterKey, masterKeyBytes, toMasterKey } from "@toolwright/postgres";

/**
 * Keys of 32 bytes as hex or base64, parted by blanks, commas or lines; lines that begin with # are notes. Throws `secret_unreadable`, without
 * repeating any of it.
 */
export function parseKeys(text: string, what: string): readonly [MasterKey, ...MasterKey[]] {
  const lines = text.split("\n").filter((line) => !line.trimStart().startsWith("#"));
  const words = lines.flatMap((line) => line.split(/[\s,]+/)).filter((word) => word !== "");
  const [first, ...others] = words.map((word, index) => toMasterKey(parseKey(word, `${what} holds as key ${index + 1}`)));
  if (!first) throw refuse(`${what} holds no key. Write one into it: openssl rand -base64 ${masterKeyBytes}`);
  return [first, ...others];
}

function parseKey(word: string, what: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(word)) return Buffer.from(word, "hex");
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(word);
  const bytes = Buffer.from(word, "base64");
  if (isBase64 && bytes.length === masterKeyBytes) return bytes;
  const found = isBase64 ? `${bytes.length} bytes` : "something that is neither hex nor base64";
  throw refuse(
    `${what} ${found}. A master key has ${masterKeyBytes} bytes, as 64 hex digits or 44 of base64: openssl rand -base64 ${masterKeyBytes}`,
  );
}

function refuse(message: string): ToolwrightError {
  return new ToolwrightError("secret_unreadable", message);
}
