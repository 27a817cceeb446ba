/** The scope that every access token needs. */
export const toolScope = "tools";
/** The scope to answer approvals with, also those of the client's own calls. */
export const answerScope = "approvals";
/** What clients may ask people for: to use tools, to answer approvals, to come back without asking. */
export const oauthScopes = [toolScope, answerScope, "offline_access"] as const;
