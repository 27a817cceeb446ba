import { judgePathWord } from "../words/judge-path-word.ts";
import type { ProgramTable } from "../words/program-rule.ts";
import { optionTable } from "../words/scan-arguments.ts";
import { cargo } from "./cargo-program.ts";
import { go } from "./go-program.ts";
import { anyProject, project, subcommand } from "./project-rule.ts";

const definition =
  /^(?:CMAKE_BUILD_TYPE|CMAKE_EXPORT_COMPILE_COMMANDS|BUILD_TESTING|BUILD_SHARED_LIBS|CMAKE_CXX_STANDARD)(?::[A-Z]+)?=\w*$/;

/** Compilers and build tools, run on the project. */
export const buildPrograms: ProgramTable = {
  make: {
    ...project,
    reason: "Makes targets of the Makefile; -f, -C, --eval and assignments are left out.",
    operands: "text",
    options: optionTable("-j? -k -s -B -n --dry-run --silent --keep-going --no-print-directory"),
    check: ({ operands }) => (operands.every((word) => /^[\w.-]+$/.test(word.text)) ? undefined : "an argument of make is no plain target"),
    examples: {
      match: ["make", "make build", "make -j4 test"],
      notMatch: [
        "make SHELL=./evil build",
        "make -f x",
        "make -C x",
        "make --eval='$(shell id)'",
        "make -I x",
        "make CC=./x",
        "cd x && make",
      ],
    },
  },
  cmake: {
    ...anyProject,
    reason:
      "Configures and builds the project; -P, -E and -C, which run scripts and commands, and variables that name programs are left out.",
    operands: "read",
    maxOperands: 1,
    options: optionTable("-S=path -B=path -D= -G= --preset= --version --fresh"),
    check: ({ options }) => {
      const builds = options.flatMap(({ name, value }) => (name === "-B" && value ? [judgePathWord(value, "write")] : []));
      const strange = options.find(({ name, value }) => name === "-D" && !definition.test(value?.text ?? ""));
      return strange ? `the variable ${strange.value?.text} may change what runs` : builds.find((objection) => objection !== undefined);
    },
    modes: new Map([
      [
        "--build",
        subcommand(
          "Builds; what follows after -- goes to the build tool and is left out.",
          "-j? --parallel? --target= -t= --config= -v --verbose --clean-first",
          {
            operands: "read",
            check: ({ operands: [, ...more] }) =>
              more.every(({ text }) => /^\d+$/.test(text)) ? undefined : "what stands after the folder goes to the build tool",
            examples: {
              match: ["cmake --build build", "cmake --build build --target app -j4", "cmake --build build -j 8"],
              notMatch: ["cmake --build build -- SHELL=./x", "cmake --build /tmp/x", "cmake --build build --resolve-package-references=on"],
            },
          },
        ),
      ],
    ]),
    examples: {
      match: ["cmake -S . -B build -DCMAKE_BUILD_TYPE=Release", "cmake --version"],
      notMatch: [
        "cmake -P x.cmake",
        "cmake -E rm -rf x",
        "cmake -C x.cmake .",
        "cmake -S . -B build -DCMAKE_C_COMPILER=./x",
        "cmake -S /tmp -B build",
        "cmake -S . -B /tmp/x",
        "cmake --toolchain x .",
        "cmake --install build",
      ],
    },
  },
  cargo,
  go,
  rustc: {
    ...anyProject,
    reason: "Prints its version or explains an error; compiling, where -C linker runs a program, is left out.",
    options: optionTable("-V -v --version --verbose --explain="),
    check: ({ options }) =>
      options.some(({ name }) => /^(?:-V|--version|--explain)$/.test(name)) ? undefined : "only the version and --explain are reviewed",
    examples: {
      match: ["rustc --version", "rustc -vV", "rustc --explain E0308"],
      notMatch: ["rustc a.rs", "rustc -C linker=./x a.rs", "rustc @args", "rustc --version a.rs", "rustc --print=cfg"],
    },
  },
};
