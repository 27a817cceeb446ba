import type { ProgramRule } from "../words/program-rule.ts";
import { anyProject, passed, subcommand } from "./project-rule.ts";

const moduleHarms = (name: string) => [
  `go ${name} -exec ./x ./...`,
  `go ${name} -toolexec ./x ./...`,
  `go ${name} -C x ./...`,
  `go ${name} -o /tmp/x ./...`,
  `go ${name} -overlay x ./...`,
  `go ${name} --modfile=x ./...`,
];
const plainVariables = /^(?:GOPATH|GOROOT|GOOS|GOARCH|GOVERSION|GOMOD|GOWORK|GOBIN|GOCACHE|GOMODCACHE|CGO_ENABLED|GOHOSTOS|GOHOSTARCH)$/;
/** go by its subcommands. */
export const go: ProgramRule = {
  ...anyProject,
  reason: "Builds and tests the module; -exec, -toolexec, -o and flags of compilers are left out.",
  examples: {
    match: [],
    notMatch: ["go run .", "go generate ./...", "go install x@latest", "go get x", "go tool compile x", "go mod tidy"],
  },
  subcommands: new Map([
    [
      "test",
      subcommand(
        "Runs tests of the module.",
        "-v -race -short -cover -run= -bench= -benchmem -count= -timeout= -failfast -json -parallel=",
        {
          operands: "read",
          examples: {
            match: ["go test ./...", "go test -run TestX -count=1 ./pkg"],
            notMatch: [...moduleHarms("test"), "go test -coverprofile x ."],
          },
        },
      ),
    ],
    [
      "build",
      subcommand("Builds the module.", "-v -race", {
        operands: "read",
        examples: { match: ["go build ./..."], notMatch: [...moduleHarms("build"), "go build -ldflags x .", "go build /tmp/x.go"] },
      }),
    ],
    [
      "vet",
      subcommand("Checks the module.", "-v -json", {
        operands: "read",
        examples: { match: ["go vet ./..."], notMatch: [...moduleHarms("vet"), "go vet -vettool=./x ./..."] },
      }),
    ],
    [
      "list",
      subcommand("Lists packages of the module; -f, -m and -export are left out.", "-json -deps -test", {
        operands: "read",
        examples: { match: ["go list ./..."], notMatch: [...moduleHarms("list"), "go list -m -u all", "go list -export ./..."] },
      }),
    ],
    [
      "env",
      subcommand("Prints settings that hold no credentials; -w, which sets, is left out.", "", {
        ...passed(plainVariables, "a variable"),
        check: ({ operands }) =>
          operands.length > 0 && operands.every(({ text }) => plainVariables.test(text)) ? undefined : "the settings may hold credentials",
        examples: { match: ["go env GOPATH GOOS"], notMatch: ["go env", "go env GOPROXY", "go env -w GOFLAGS=-toolexec=./x"] },
      }),
    ],
    [
      "version",
      { reason: "Prints the version.", readOnly: true, examples: { match: ["go version"], notMatch: ["go version -m /usr/bin/x"] } },
    ],
  ]),
};
