import { randomBytes } from "node:crypto";

/** Identifiers. *Contract:* unguessable (at least 128 random bits) and unique; the prefix says the kind (`call_`, `apr_`). */
export interface Ids {
  next(prefix: string): string;
}

const bytesPerId = 16;
const batch = 256;

/** Draws random bytes in batches: one system call for many ids. */
export function createRandomIds(): Ids {
  let pool = Buffer.alloc(0);
  let offset = 0;
  return {
    next(prefix) {
      if (offset + bytesPerId > pool.length) {
        pool = randomBytes(bytesPerId * batch);
        offset = 0;
      }
      const id = pool.toString("base64url", offset, offset + bytesPerId);
      offset += bytesPerId;
      return `${prefix}_${id}`;
    },
  };
}
