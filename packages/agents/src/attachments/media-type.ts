/** By the first bytes, in hexadecimal: a name says nothing about a file. */
const signatures: readonly (readonly [mediaType: string, pattern: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^474946383[79]61/],
  ["image/webp", /^52494646.{8}57454250/],
  ["application/pdf", /^255044462d/],
];

/** What models take that a file is; undefined for anything else. */
export function typeOf(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  return signatures.find(([, pattern]) => pattern.test(beginning))?.[0];
}
