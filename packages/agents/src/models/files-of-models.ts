/** The same bytes for each kind of image that hosted models take. */
export const imagesOf = (bytes: number) => ({ "image/jpeg": bytes, "image/png": bytes, "image/gif": bytes, "image/webp": bytes });

/** The same bytes for each kind of sound that the wire of Chat Completions has a name for. */
export const soundsOf = (bytes: number) => ({ "audio/wav": bytes, "audio/mpeg": bytes });
