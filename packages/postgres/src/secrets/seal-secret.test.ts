import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyring, toMasterKey } from "./keyring.ts";
import { openSecret, rewrapSecret, type SealedSecret, type SecretAddress, sealSecret } from "./seal-secret.ts";

const master = toMasterKey(randomBytes(32));
const other = toMasterKey(randomBytes(32));
const keyring = createKeyring([master]);
const place: SecretAddress = { tenant: "acme", agent: "", name: "KEY", generation: 7, binding: null };
const value = "canary-value-of-a-secret";

const thrown = (open: () => unknown): { code?: string; message: string } => {
  try {
    open();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It opened.");
};

describe("a sealed secret (R-TN-1)", () => {
  it("opens where it belongs, whatever its value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
        expect(openSecret(sealSecret(text, place, master), place, keyring)).toBe(text);
      }),
    );
  });

  const places: [string, SecretAddress][] = [
    ["another tenant", { ...place, tenant: "other" }],
    ["an agent", { ...place, agent: "coder" }],
    ["another name", { ...place, name: "OTHER" }],
    ["another generation", { ...place, generation: 8 }],
    ["other hosts", { ...place, binding: '{"origins":["https://a.example"]}' }],
    ["a name that takes a part of the tenant", { ...place, tenant: "acm", name: "eKEY" }],
  ];
  it.each(places)("does not open for %s", (_, elsewhere) => {
    const error = thrown(() => openSecret(sealSecret(value, place, master), elsewhere, keyring));
    expect(error.code).toBe("secret_unreadable");
    expect(error.message).toContain(`"${elsewhere.name}" of`);
    expect(error.message).toContain(`toolwright secrets set ${elsewhere.name}`);
  });

  it("does not open with any bit changed", () => {
    const sealed = sealSecret(value, place, master);
    for (const part of ["sealed", "wrapped_key"] as const) {
      for (let bit = 0; bit < sealed[part].length * 8; bit += 1) {
        const bytes = Buffer.from(sealed[part]);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(thrown(() => openSecret({ ...sealed, [part]: bytes }, place, keyring)).code).toBe("secret_unreadable");
      }
      for (const length of [0, 11, 27, sealed[part].length - 1])
        expect(thrown(() => openSecret({ ...sealed, [part]: sealed[part].subarray(0, length) }, place, keyring)).code).toBe(
          "secret_unreadable",
        );
    }
  });

  it("does not open with the data key of another, even of the same place", () => {
    const [one, two] = [sealSecret(value, place, master), sealSecret(value, place, master)];
    expect(thrown(() => openSecret({ ...one, wrapped_key: two.wrapped_key }, place, keyring)).code).toBe("secret_unreadable");
  });

  it("names the key that is missing, and neither a key nor the value", () => {
    const sealed = sealSecret(value, place, other);
    const error = thrown(() => openSecret(sealed, place, keyring));
    expect(error.message).toContain(other.id);
    expect(error.message).toContain("does not have");
    const words = JSON.stringify([error, error.message, (error as Error).stack]);
    for (const hidden of [value, other.key.export().toString("hex"), other.key.export().toString("base64")])
      expect(words).not.toContain(hidden);
    // A row that claims another key does not open either.
    expect(thrown(() => openSecret({ ...sealed, key_id: master.id }, place, keyring)).code).toBe("secret_unreadable");
  });

  it("never uses a nonce twice, nor gives the same bytes for the same value", () => {
    const nonces = new Set<string>();
    const count = 20_000;
    for (let index = 0; index < count; index += 1) {
      const { sealed, wrapped_key } = sealSecret(value, place, master);
      for (const bytes of [sealed, wrapped_key]) nonces.add(Buffer.from(bytes.subarray(0, 12)).toString("hex"));
    }
    expect(nonces.size).toBe(2 * count);
  });

  it("comes under a new master key without its value being encrypted anew", () => {
    const sealed = sealSecret(value, place, master);
    const both = createKeyring([other, master]);
    const rewrapped: SealedSecret = rewrapSecret(sealed, place, both);
    expect(rewrapped.sealed).toEqual(sealed.sealed);
    expect(openSecret(rewrapped, place, createKeyring([other]))).toBe(value);
    expect(thrown(() => openSecret(rewrapped, place, keyring)).code).toBe("secret_unreadable");
  });
});
