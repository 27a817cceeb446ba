import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { ToolwrightError } from "../../contract/errors.ts";
import { canonicalJson, type Json } from "../../contract/json.ts";
import type { TenantKeys } from "../../ports/seal-keys.ts";

const algorithm = "aes-256-gcm";
/** Bytes of key, nonce and tag, as NIST SP 800-38D recommends. */
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16];

/** What is sealed belongs to one place of one tenant: at any other it does not open. */
export interface SealContext {
  readonly tenant: string;
  /** Such as `approval apr_1`. */
  readonly what: string;
}

interface Derived {
  readonly seal: KeyObject;
  readonly digest: KeyObject;
}

/** Encrypts values with authentication (GCM) and digests them with a keyed hash (HMAC), under keys derived from that of their tenant. */
export class Sealer {
  readonly #keys: TenantKeys;
  readonly #derived = new Map<string, Derived>();

  constructor(keys: TenantKeys) {
    this.#keys = keys;
  }

  /** Base64url text. Rejects with `secret_unreadable` where the tenant's key cannot be had. */
  async seal(place: SealContext, value: unknown): Promise<string> {
    const { seal } = await this.#of(place.tenant);
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, seal, nonce, { authTagLength: tagBytes }).setAAD(associated(place));
    const text = JSON.stringify(value) ?? "null";
    return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url");
  }

  /** Rejects with `secret_unreadable` for what was sealed at another place or under another key. */
  async open(place: SealContext, sealed: string): Promise<Json> {
    const { seal } = await this.#of(place.tenant);
    try {
      const bytes = Buffer.from(sealed, "base64url");
      const end = bytes.length - tagBytes;
      const decipher = createDecipheriv(algorithm, seal, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(associated(place)).setAuthTag(bytes.subarray(end));
      const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]).toString("utf8");
      return JSON.parse(text) as Json;
    } catch (cause) {
      const message = `The sensitive members of ${place.what} cannot be opened: they were sealed under another key, or changed since. Make the call again.`;
      throw new ToolwrightError("secret_unreadable", message, { cause });
    }
  }

  /** Equal for equal values of one tenant. Who lacks the key cannot find the value by trying. */
  async digest(tenant: string, value: unknown): Promise<string> {
    const { digest } = await this.#of(tenant);
    return `hmac-sha256:${createHmac("sha256", digest).update(canonicalJson(value)).digest("hex")}`;
  }

  async #of(tenant: string): Promise<Derived> {
    const known = this.#derived.get(tenant);
    if (known) return known;
    const key = await this.#keys.of(tenant);
    const derive = (what: string) => createSecretKey(Buffer.from(hkdfSync("sha256", key, "", `toolwright sensitive ${what} 1`, keyBytes)));
    const derived = { seal: derive("seal"), digest: derive("digest") };
    this.#derived.set(tenant, derived);
    return derived;
  }
}

/** JSON keeps the parts apart: no two places have the same text. */
function associated({ tenant, what }: SealContext): Buffer {
  return Buffer.from(JSON.stringify(["toolwright sealed 1", tenant, what]), "utf8");
}
