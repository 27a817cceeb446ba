/** Where a client runs: folders of its own, and its model. */
export interface ClientHome {
  readonly home: string;
  /** The folder that it works in. */
  readonly project: string;
  readonly modelUrl: string;
  /** Folder with the clients' packages. */
  readonly packages: string;
}

/** A real client, driven without a person. */
export interface RealClient {
  /** As `toolwright install` calls it. */
  readonly name: string;
  /** The package that it comes from. */
  readonly package: string;
  /** True for one that checks input against the schema itself, so that nothing is left to repair. */
  readonly checksInput?: boolean;
  /** Its own shell, where its hooks are looked at too. */
  readonly shell?: string;
  /** Its own settings for a scripted model and no network, by path in its home; before `toolwright install` adds to them. */
  files(home: ClientHome): Readonly<Record<string, string>>;
  command(home: ClientHome, prompt: string): readonly [string, ...string[]];
  env(home: ClientHome): Readonly<Record<string, string>>;
}
