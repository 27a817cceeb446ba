/** Bytes of each chunk but the last. */
export const chunkBytes = 256 * 1024;
