import { randomBytes } from "node:crypto";

/** Identifiers. *Contract:* unguessable (at least 128 random bits) and unique; the prefix says the kind (`call_`, `apr_`). */
export interface Ids {
  next(prefix: string): string;
}

/** Characters of base64url, of 6 bits each: 132 bits. */
const length = 22;
/** Ids that are drawn at once. An id that is kept may keep the text of its whole batch in memory. */
const batch = 32;

/** Draws random bytes in batches: one system call and one text for many ids. */
export function createRandomIds(): Ids {
  let pool = "";
  let offset = 0;
  return {
    next(prefix) {
      if (offset === pool.length) {
        pool = randomBytes((length * batch * 6) / 8).toString("base64url");
        offset = 0;
      }
      const start = offset;
      offset += length;
      return `${prefix}_${pool.slice(start, offset)}`;
    },
  };
}
