const scheme = "artifact:";

/** What a stored message has in the place of the bytes. */
export const addressOf = (id: string) => `${scheme}${id}`;

/** Matches the addresses of artifacts. */
export const artifactAddress = /^artifact:/;

/** Undefined for what is no address of an artifact. */
export const addressIn = (data: unknown) => (typeof data === "string" && artifactAddress.test(data) ? data : undefined);

/** Undefined for the address of something else. */
export const idIn = ({ protocol, pathname }: URL) => (protocol === scheme ? pathname : undefined);
