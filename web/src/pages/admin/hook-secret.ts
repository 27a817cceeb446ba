const bytes = 32;

/** A secret that senders sign with, in the form of Standard Webhooks. */
export function newHookSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))))}`;
}

/** Commands that sign a message as Standard Webhooks says and send it. The secret stands in HOOK_SECRET. */
export const signedCurl = (address: string) => `body='{"type":"order.paid","data":{"order":4711}}'
id="test-$(date +%s)" at=$(date +%s)
key=$(printf %s "\${HOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
sign() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A; }
curl -sS '${address}' \\
  -H 'content-type: application/json' -H "webhook-id: $id" -H "webhook-timestamp: $at" \\
  -H "webhook-signature: v1,$(printf %s "$id.$at.$body" | sign)" --data-raw "$body"
`;
