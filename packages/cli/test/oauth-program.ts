import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** Nobody listens there: such tests read the answer from the redirect itself. */
export const redirectUrl = "http://127.0.0.1:9/callback";

export interface Known {
  /** What it calls itself. */
  readonly name?: string;
  /** Where it waits for the answer. */
  readonly redirectUrl?: string;
  /** What it got when it registered. */
  readonly information?: StoredOAuthClientInformation | undefined;
  /** Where it describes itself instead. */
  readonly clientMetadataUrl?: string;
}

/** What a program on somebody's machine keeps for the official client, and where it sends the person. */
export class Program implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: { client_name: string; redirect_uris: string[]; token_endpoint_auth_method: string };
  readonly clientMetadataUrl?: string;
  information: StoredOAuthClientInformation | undefined;
  saved: StoredOAuthTokens | undefined;
  verifier = "";
  discovery: OAuthDiscoveryState | undefined;
  asked: URL | undefined;

  constructor({ name = "Notes <app>", redirectUrl: home = redirectUrl, information, clientMetadataUrl }: Known = {}) {
    this.redirectUrl = home;
    this.clientMetadata = { client_name: name, redirect_uris: [home], token_endpoint_auth_method: "none" };
    this.information = information;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state = () => "the-state";
  clientInformation = () => this.information;
  tokens = () => this.saved;
  codeVerifier = () => this.verifier;
  discoveryState = () => this.discovery;
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.discovery = state;
  }
  saveClientInformation(information: StoredOAuthClientInformation) {
    this.information = information;
  }
  saveTokens(tokens: StoredOAuthTokens) {
    this.saved = tokens;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  invalidateCredentials(which: string) {
    if (which === "all" || which === "client") this.information = undefined;
    if (which === "all" || which === "tokens") this.saved = undefined;
  }
  redirectToAuthorization(url: URL) {
    this.asked = url;
  }
}
