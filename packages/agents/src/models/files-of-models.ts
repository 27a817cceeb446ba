/** Size limits of images, in bytes, by the media types that hosted models take. */
export const imagesOf = (bytes: number) => ({ "image/jpeg": bytes, "image/png": bytes, "image/gif": bytes, "image/webp": bytes });

/** Sounds that the wire of Chat Completions has a name for, WAV and MP3, each with the most bytes of one file. */
export const soundsOf = (bytes: number) => ({ "audio/wav": bytes, "audio/mpeg": bytes });
