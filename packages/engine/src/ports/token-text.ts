import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 random bits, for a link or a key; a plain hash of them cannot be turned back by guessing. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a token: SHA-256 in hex. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}

/** In constant time (R-TN-6). */
export function isTokenOf(token: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(token), "hex"), Buffer.from(hash.padEnd(64, "0").slice(0, 64), "hex"));
}
