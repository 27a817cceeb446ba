import type { ProgramRule } from "../words/program-rule.ts";
import { anyProject, passed, subcommand } from "./project-rule.ts";

const packageOptions =
  "--workspace --all --all-features --no-default-features --features= -F= -p= --package= -q --quiet -v --verbose --locked --offline --frozen";
const buildOptions = `${packageOptions} --release -r --all-targets --lib --bins --bin= --tests --test= --examples --example= --benches -j= --jobs= --keep-going`;
const crateHarms = (name: string) => [
  `cargo ${name} --config x=1`,
  `cargo ${name} --manifest-path /tmp/x/Cargo.toml`,
  `cargo ${name} --target-dir /tmp`,
];
const crate = (name: string): ProgramRule =>
  subcommand("Builds the crate, whose build scripts run.", buildOptions, {
    examples: { match: [`cargo ${name}`, `cargo ${name} --release -p app`], notMatch: [...crateHarms(name), `cargo ${name} -Z x`] },
  });

/** cargo by its subcommands. */
export const cargo: ProgramRule = {
  ...anyProject,
  reason: "Builds and tests the crate; --config and toolchains are left out.",
  examples: {
    match: [],
    notMatch: ["cargo install x", "cargo publish", "cargo run", "cargo +nightly build", "cargo --config x build", "cargo -C x build"],
  },
  subcommands: new Map([
    ["build", crate("build")],
    ["check", crate("check")],
    [
      "test",
      subcommand("Runs tests of the crate; --logfile, which writes, is left out.", `${buildOptions} --no-run --no-fail-fast --doc`, {
        ...passed(
          /^(?:[\w:]+|--(?:nocapture|no-capture|show-output|ignored|include-ignored|exact|list|skip)|--test-threads(?:=\d+)?)$/,
          "an argument of the tests",
        ),
        examples: {
          match: ["cargo test", "cargo test parser::reads -- --nocapture", "cargo test -- --test-threads=1"],
          notMatch: [...crateHarms("test"), "cargo test -- --logfile /tmp/x"],
        },
      }),
    ],
    [
      "clippy",
      subcommand("Checks the crate; --fix and arguments of the compiler other than lints are left out.", `${buildOptions} --no-deps`, {
        ...passed(/^(?:-[WDAF](?:[a-z][\w:-]*)?|[a-z][\w:-]*)$/, "a lint"),
        examples: {
          match: ["cargo clippy --all-targets", "cargo clippy -- -D warnings -W clippy::pedantic"],
          notMatch: [...crateHarms("clippy"), "cargo clippy --fix", "cargo clippy -- -C linker=./x", "cargo clippy -- --emit=link"],
        },
      }),
    ],
    [
      "fmt",
      subcommand("Formats the crate; configurations from elsewhere are left out.", "--all --check -p= --package= -q --quiet -v --verbose", {
        ...passed(/^--check$/, "an argument of rustfmt"),
        examples: {
          match: ["cargo fmt", "cargo fmt --all -- --check"],
          notMatch: ["cargo fmt --manifest-path x", "cargo fmt -- --config-path /tmp", "cargo fmt -- /tmp/a.rs"],
        },
      }),
    ],
    [
      "tree",
      subcommand("Prints what the crate depends on.", `${packageOptions} -d --duplicates -i= --invert= --depth= -e= --edges= --prefix=`, {
        examples: { match: ["cargo tree --depth 1", "cargo tree -i serde"], notMatch: crateHarms("tree") },
      }),
    ],
    [
      "metadata",
      subcommand("Prints what the crate is made of.", `${packageOptions} --no-deps --format-version=`, {
        examples: { match: ["cargo metadata --no-deps --format-version=1"], notMatch: crateHarms("metadata") },
      }),
    ],
  ]),
};
