/** Permission to be told why a tool is hidden. Without it a hidden tool is explained as an unknown one. */
export const EXPLAIN_CATALOGUE = "catalogue:explain";

/** Permission to read and change the policy of one's tenant. Only people may use it. */
export const MANAGE_POLICY = "policy:manage";

/** Permission to list and change the sessions of everybody in the tenant. It lets nobody call in them. */
export const MANAGE_SESSIONS = "sessions:manage";
