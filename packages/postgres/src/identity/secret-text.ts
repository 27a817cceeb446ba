import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 random bits; a plain hash of them cannot be turned back by guessing. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a secret: SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

/** In constant time (R-TN-6). */
export function isSecretOf(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret), "hex"), Buffer.from(hash.padEnd(64, "0").slice(0, 64), "hex"));
}
