/** The same bytes for each kind of image that hosted models take. */
export const imagesOf = (bytes: number) => ({ "image/jpeg": bytes, "image/png": bytes, "image/gif": bytes, "image/webp": bytes });
