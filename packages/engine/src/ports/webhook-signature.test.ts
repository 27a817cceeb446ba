import { describe, expect, it } from "vitest";
import { isSignedWith, signWebhook, webhookKey } from "./webhook-signature.ts";

/** What the libraries of Standard Webhooks are tested with. */
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const webhook = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330", body: Buffer.from('{"test": 2432232314}') };
const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const key = webhookKey(secret) ?? new Uint8Array();

describe("signatures of webhooks", () => {
  it("are those of other implementations", () => {
    expect(signWebhook(webhook, key)).toBe(signature);
    expect(isSignedWith({ ...webhook, signature }, key)).toBe(true);
    expect(isSignedWith({ ...webhook, signature: `v1a,x v1,Zm9yZ2Vk ${signature}` }, key)).toBe(true);
  });

  it.each([
    ["another body", { body: Buffer.from('{"test": 2432232315}') }],
    ["another id", { id: "msg_other" }],
    ["another time", { timestamp: "1614265331" }],
    ["another version", { signature: signature.replace("v1,", "v2,") }],
    ["none", { signature: "" }],
    ["a part of it", { signature: signature.slice(0, -1) }],
  ])("do not hold for %s", (_, changed) => {
    expect(isSignedWith({ ...webhook, signature, ...changed }, key)).toBe(false);
  });

  it("do not hold for another key", () => {
    expect(isSignedWith({ ...webhook, signature }, Buffer.alloc(24))).toBe(false);
  });

  it("have keys of 24 to 64 bytes in base64, with or without the prefix", () => {
    expect(webhookKey(secret.slice("whsec_".length))).toEqual(key);
    for (const bytes of [24, 64]) expect(webhookKey(`whsec_${Buffer.alloc(bytes).toString("base64")}`)).toHaveLength(bytes);
    for (const bytes of [0, 23, 65]) expect(webhookKey(`whsec_${Buffer.alloc(bytes).toString("base64")}`)).toBeUndefined();
    for (const none of ["", "whsec_", "whpk_abcdefghijklmnopqrstuvwxyz012345", "not base64 at all, but long enough"])
      expect(webhookKey(none)).toBeUndefined();
  });
});
