import type { Principal } from "@toolwright/engine";

/** Who made something, with what is left of their rights, or why nobody is left. */
export type Standing = { readonly principal: Principal } | { readonly gone: string };
