/** By the first bytes, in hexadecimal: a name says nothing about a file. */
const signatures: readonly (readonly [mediaType: string, pattern: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^474946383[79]61/],
  ["image/webp", /^52494646.{8}57454250/],
  ["application/pdf", /^255044462d/],
  ["audio/wav", /^52494646.{8}57415645/],
  // With a tag of version 2 to 4 in front, or with a frame of layer III.
  ["audio/mpeg", /^(4944330[234]00|fff[23ab]|ffe[23])/],
];

/** Which of the kinds of file that models take one is; undefined for anything else. */
export function typeOf(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  return signatures.find(([, pattern]) => pattern.test(beginning))?.[0];
}

/** Says in a line why a model does not get a file. */
export function whyNotShown(mediaType: string, files: Readonly<Record<string, number>>): string {
  const isDeaf = mediaType.startsWith("audio/") && !Object.keys(files).some((type) => type.startsWith("audio/"));
  return `Its content is not shown to you: the model does not take ${isDeaf ? "audio" : "it"}.`;
}
