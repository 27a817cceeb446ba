/** What a program runs, or obeys like code, though its command line does not name it. */
export interface ImplicitCode {
  readonly reason: string;
  /** Files by name, in the folder it runs in or one above; one `*` stands for any text. */
  readonly files?: readonly string[];
  /** Files that a word of the line means: `{}` is the word. */
  readonly words?: readonly string[];
  /** Dots in such a word part folders. */
  readonly dotted?: boolean;
  /** Options that name a folder or file in place of the usual one. */
  readonly options?: readonly string[];
  /** The scripts of package.json are command lines, too, and its workspaces have scripts of their own. */
  readonly scripts?: boolean;
}

const settingsOf = (name: string) => [`${name}.config.*`, `.${name}rc*`];
const vite = ["vitest.config.*", "vite.config.*", "vitest.workspace.*", "vitest.projects.*"];
const settingsOptions = ["-c", "--config", "--config-path", "--root", "--rootDir", "--dir", "--cwd", "--projects", "--project"];
const binaries = ["node_modules/.bin/{}"];
const packages = ["package.json", ".npmrc", ".yarnrc*", ".pnpmfile.*", ".pnp.*", "bunfig.toml", "pnpm-workspace.yaml"];

const packageManager: ImplicitCode = {
  reason: "Runs scripts of package.json by their names, before and after them others, and programs that packages put in place.",
  files: packages,
  words: binaries,
  options: ["-C", "--prefix", "--dir", "--cwd", "--userconfig"],
  scripts: true,
};
const packageRunner: ImplicitCode = {
  reason: "Runs the program that a package put in place.",
  files: packages,
  words: binaries,
  options: ["-C", "--prefix", "--dir", "--cwd", "-p", "--package"],
};
const make: ImplicitCode = {
  reason: "Makes what the makefile of the folder says; -f names another, as a word of the line.",
  files: ["GNUmakefile", "makefile", "Makefile", "BSDmakefile"],
  options: ["-C", "-f", "-I", "--file", "--makefile", "--directory", "--include-dir"],
};
const python: ImplicitCode = {
  reason: "Runs a module by its name, found in the folder before any other place.",
  words: ["{}.py", "{}/__main__.py", "{}/__init__.py"],
  dotted: true,
  files: ["sitecustomize.py", "usercustomize.py", "pyvenv.cfg"],
  options: ["-m"],
};
const gradle: ImplicitCode = {
  reason: "Builds are programs.",
  files: ["build.gradle*", "settings.gradle*", "gradle.properties", "gradlew", "gradle/wrapper/gradle-wrapper.properties"],
  options: ["-p", "--project-dir", "-b", "-c", "-I", "--init-script"],
};
const maven: ImplicitCode = {
  reason: "Plug-ins of the project run.",
  files: ["pom.xml", ".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml"],
  options: ["-f", "--file", "-s", "--settings"],
};
const pythonTests: ImplicitCode = {
  reason: "Runs conftest.py of each folder, and settings that load plug-ins.",
  files: ["conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"],
  options: ["-c", "--config-file", "--rootdir", "--confcutdir"],
};

/** By the name of the program, without the digits of a version. A program that is not here reads what its line names. */
export const implicitCode: ReadonlyMap<string, ImplicitCode> = new Map(
  Object.entries({
    npm: packageManager,
    pnpm: packageManager,
    yarn: packageManager,
    bun: packageManager,
    corepack: packageManager,
    npx: packageRunner,
    pnpx: packageRunner,
    bunx: packageRunner,
    node: {
      reason: "--import and -r load a module by its name; package.json says what a name and a file mean.",
      files: ["package.json"],
      words: ["{}.js", "{}.cjs", "{}.mjs", "{}.ts", "{}.json", "{}/index.js", "{}/package.json", "node_modules/{}/package.json"],
      options: ["-r", "--require", "--import", "--loader", "--experimental-loader"],
    },
    tsx: {
      reason: "As node, with the settings of TypeScript.",
      files: ["package.json", "tsconfig*.json"],
      words: ["{}.ts", "{}.js", "{}/index.ts"],
    },
    "ts-node": { reason: "Settings may load hooks.", files: ["package.json", "tsconfig*.json"], words: ["{}.ts", "{}.js"] },
    deno: { reason: "Tasks and imports are named in its settings.", files: ["deno.json*", "package.json"], scripts: true },
    make,
    gmake: make,
    bmake: make,
    ninja: { reason: "Builds what the file of the folder says.", files: ["build.ninja"], options: ["-C", "-f"] },
    cmake: {
      reason: "Its files are programs.",
      files: ["CMakeLists.txt", "CMakePresets.json", "CMakeUserPresets.json", "CMakeCache.txt"],
      options: ["-S", "-B", "-C", "-P", "--build"],
    },
    just: {
      reason: "Runs recipes of the justfile.",
      files: ["justfile", "Justfile", ".justfile"],
      options: ["-f", "--justfile", "-d", "--working-directory"],
    },
    task: { reason: "Runs tasks of the Taskfile.", files: ["Taskfile.*", "taskfile.*"], options: ["-d", "--dir", "-t", "--taskfile"] },
    rake: { reason: "The Rakefile is a program.", files: ["Rakefile*", "rakefile*", "Gemfile", ".rspec"] },
    bundle: { reason: "The Gemfile is a program.", files: ["Gemfile", "Gemfile.lock", ".bundle/config"] },
    rspec: { reason: "Settings load helpers.", files: [".rspec", "Gemfile", "spec/spec_helper.rb"] },
    pytest: pythonTests,
    "py.test": pythonTests,
    python,
    pypy: python,
    uv: { ...python, reason: "Runs modules and tools of the project.", files: ["pyproject.toml", "uv.toml", "sitecustomize.py"] },
    poetry: { ...python, reason: "Runs scripts of the project.", files: ["pyproject.toml", "poetry.toml"] },
    pip: { reason: "Installing runs the set-up of the project.", files: ["setup.py", "setup.cfg", "pyproject.toml", "requirements*.txt"] },
    tox: { reason: "Runs the commands of its settings.", files: ["tox.ini", "pyproject.toml", "setup.cfg", "conftest.py"] },
    nox: { reason: "The noxfile is a program.", files: ["noxfile.py"] },
    cargo: {
      reason: "Build scripts run, and settings may put another program in the place of compiler and runner.",
      files: ["Cargo.toml", "build.rs", ".cargo/config", ".cargo/config.toml", "rust-toolchain*"],
      options: ["-C", "--manifest-path", "--config"],
    },
    go: {
      reason: "Generate runs the lines that the files name, test and run the files themselves; go.mod may replace modules.",
      files: ["go.mod", "go.work", "*.go"],
      options: ["-C", "-modfile"],
    },
    tsc: {
      reason: "Settings extend others; -p names a folder or a file.",
      files: ["tsconfig*.json"],
      options: ["-p", "--project", "-b", "--build"],
    },
    vitest: { reason: "Settings are a program.", files: vite, options: settingsOptions },
    vite: { reason: "Settings are a program.", files: vite, options: settingsOptions },
    jest: {
      reason: "Settings are a program, or part of package.json.",
      files: [...settingsOf("jest"), "babel.config.*", ".babelrc*", "package.json"],
      options: settingsOptions,
    },
    mocha: { reason: "Settings load modules.", files: [".mocharc*", "package.json"], options: ["--config", "-r", "--require", "--import"] },
    playwright: { reason: "Settings are a program.", files: settingsOf("playwright"), options: settingsOptions },
    eslint: {
      reason: "Settings are a program, and load plug-ins.",
      files: [...settingsOf("eslint"), "package.json"],
      options: settingsOptions,
    },
    prettier: {
      reason: "Settings may be a program, and load plug-ins.",
      files: [...settingsOf("prettier"), ".editorconfig", "package.json"],
      options: settingsOptions,
    },
    biome: { reason: "Settings load plug-ins.", files: ["biome.json*", ".biome.json*"], options: settingsOptions },
    webpack: { reason: "Settings are a program.", files: settingsOf("webpack"), options: settingsOptions },
    rollup: { reason: "Settings are a program.", files: settingsOf("rollup"), options: settingsOptions },
    gradle,
    gradlew: gradle,
    mvn: maven,
    mvnw: maven,
    composer: { reason: "Runs scripts of composer.json.", files: ["composer.json"], options: ["-d", "--working-dir"] },
    git: {
      reason: "Hooks may lie in the workspace, and attributes choose among programs of the settings.",
      files: [
        ".gitattributes",
        ".husky/pre-commit",
        ".husky/commit-msg",
        ".husky/pre-push",
        ".husky/prepare-commit-msg",
        ".husky/_/h",
        "lefthook*",
      ],
      options: ["-C", "--git-dir", "--work-tree"],
    },
    turbo: { reason: "Runs scripts of the packages.", files: ["turbo.json*", ...packages], scripts: true },
    nx: { reason: "Runs targets of the projects.", files: ["nx.json", "project.json", ...packages], scripts: true },
    lerna: { reason: "Runs scripts of the packages.", files: ["lerna.json", ...packages], scripts: true },
    gulp: { reason: "The gulpfile is a program.", files: ["gulpfile*"] },
    grunt: { reason: "The Gruntfile is a program.", files: ["Gruntfile*"] },
    nodemon: { reason: "Settings name what is run.", files: ["nodemon.json", "package.json"] },
    next: { reason: "Settings are a program.", files: settingsOf("next") },
    astro: { reason: "Settings are a program.", files: settingsOf("astro") },
    nuxt: { reason: "Settings are a program.", files: settingsOf("nuxt") },
    postcss: { reason: "Settings are a program.", files: settingsOf("postcss") },
    tailwindcss: { reason: "Settings are a program.", files: settingsOf("tailwind") },
    cypress: { reason: "Settings are a program.", files: settingsOf("cypress") },
    stylelint: { reason: "Settings may be a program.", files: [...settingsOf("stylelint"), "package.json"], options: settingsOptions },
    commitlint: { reason: "Settings may be a program.", files: settingsOf("commitlint") },
    "lint-staged": {
      reason: "Runs the commands of its settings.",
      files: [...settingsOf("lint-staged"), ".lintstagedrc*", "package.json"],
    },
    mypy: {
      reason: "Settings load plug-ins.",
      files: ["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"],
      options: ["--config-file"],
    },
    pylint: { reason: "Settings run code.", files: [".pylintrc*", "pylintrc*", "pyproject.toml", "setup.cfg"], options: ["--rcfile"] },
    terraform: { reason: "Applies what the files of the folder say.", files: ["*.tf", "*.tf.json", "*.tfvars", "*.tfvars.json"] },
    tofu: { reason: "Applies what the files of the folder say.", files: ["*.tf", "*.tofu", "*.tf.json", "*.tfvars", "*.tfvars.json"] },
    "ansible-playbook": { reason: "Settings load plug-ins.", files: ["ansible.cfg"] },
    bazel: { reason: "Its files are programs.", files: ["MODULE.bazel", "WORKSPACE*", "BUILD*", ".bazelrc"] },
    nix: { reason: "Its files are programs.", files: ["flake.nix", "flake.lock", "default.nix", "shell.nix"] },
    dotnet: {
      reason: "Project files run tasks.",
      files: ["*.csproj", "*.fsproj", "*.sln*", "Directory.Build.*", "global.json", "nuget.config"],
    },
    swift: { reason: "The package's description is a program.", files: ["Package.swift"] },
    mix: { reason: "The project's description is a program.", files: ["mix.exs"] },
    sbt: { reason: "Builds are programs.", files: ["build.sbt", "project/build.properties", "project/plugins.sbt"] },
    direnv: { reason: "Runs the .envrc of the folder.", files: [".envrc"] },
    mise: { reason: "Runs tasks and hooks of its settings.", files: ["mise*.toml", ".mise*.toml", ".tool-versions"] },
    "pre-commit": { reason: "Runs the hooks of its settings.", files: [".pre-commit-config.yaml"] },
    docker: {
      reason: "Builds and starts what these files say.",
      files: ["Dockerfile*", "compose*.yaml", "compose*.yml", "docker-compose*.yml", "docker-compose*.yaml"],
      options: ["-f", "--file", "--project-directory", "--env-file"],
    },
  } satisfies Record<string, ImplicitCode>),
);
