import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
import { checkSecrets, type PeekableKeyring } from "./check-secrets.ts";
import { type MasterKey, masterKeyBytes, toMasterKey } from "./keyring.ts";
import { createPostgresSecretStore } from "./postgres-secret-store.ts";
import { rotateSecrets } from "./rotate-secrets.ts";

let opened: TestDatabase;
beforeEach(async () => {
  opened = await openTestDatabase("embedded");
});
afterEach(() => opened.cleanup());

/** As a machine has it: the key is made where there is none. */
function createMakingKeyring() {
  const kept: { key?: MasterKey | undefined; made: number } = { made: 0 };
  const keyring: PeekableKeyring = {
    peek: () => kept.key,
    current() {
      kept.key ??= toMasterKey(randomBytes(masterKeyBytes));
      kept.made += 1;
      return kept.key;
    },
    find: (id) => (kept.key?.id === id ? kept.key : undefined),
  };
  return { keyring, kept };
}

test("to check or to rotate secrets makes no master key, and says that the one that is needed is missing (R-TN-2)", async () => {
  const { database } = opened;
  const { keyring, kept } = createMakingKeyring();
  expect(await checkSecrets(database, keyring)).toEqual({ currentKeyId: "none", needed: [], unreadable: [] });
  expect(kept.made).toBe(0);

  const store = await createPostgresSecretStore(database, keyring);
  const { keyId } = await store.set({ tenant: "acme", name: "TOKEN" }, "a value of some length");
  await store.close();
  expect(kept.made).toBe(1);

  const { key } = kept;
  kept.key = undefined;
  expect(await checkSecrets(database, keyring)).toEqual({
    currentKeyId: "none",
    needed: [{ keyId, secrets: 1, isCurrent: false, isKnown: false }],
    unreadable: [
      expect.objectContaining({ name: "TOKEN", reason: expect.stringContaining(`the master key ${keyId}, which this process`) }),
    ],
  });
  await expect(rotateSecrets(database, keyring)).rejects.toMatchObject({
    code: "secret_unreadable",
    message: expect.stringMatching(/no master key .* none was made\. If there was one, put it back/),
  });
  expect(kept.made).toBe(1);

  kept.key = key;
  expect(await checkSecrets(database, keyring)).toMatchObject({ currentKeyId: keyId, unreadable: [] });
});
