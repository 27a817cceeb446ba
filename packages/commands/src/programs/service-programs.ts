import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { gh } from "./github-program.ts";
import { readingService } from "./service-rule.ts";

const docker = (verb: string, reason: string, options: string, more: readonly string[] = []) =>
  readingService(reason, options, {
    trustsFolder: false,
    examples: {
      match: [`docker ${verb}`],
      notMatch: [`docker -H tcp://x ${verb}`, `docker --config x ${verb}`, `docker ${verb} --format '{{json .}}' -H x`, ...more],
    },
  });

const resources = /^(?:pods?|po|deployments?|deploy|services?|svc|nodes?|no|namespaces?|ns|jobs?|cronjobs?|ingress|ing|replicasets?|rs)$/;
const get: ProgramRule = readingService(
  "Lists resources that hold no credentials; formats other than wide and name print more, and are left out.",
  "-n= --namespace= -A --all-namespaces -o= --output= -l= --selector= --show-labels --no-headers",
  {
    trustsFolder: false,
    check: ({ operands: [resource, ...names], options }) => {
      const format = options.find(({ name, value }) => /^(?:-o|--output)$/.test(name) && !/^=?(?:wide|name)$/.test(value?.text ?? ""));
      if (format) return "only the formats wide and name are reviewed";
      const listed = resources.test(resource?.text ?? "") && names.every(({ text }) => /^[a-z0-9][a-z0-9.-]*$/.test(text));
      return listed ? undefined : "the resource may hold credentials";
    },
    examples: {
      match: ["kubectl get pods", "kubectl get deploy -n web -o wide", "kubectl get pod web-1"],
      notMatch: [
        "kubectl get secrets",
        "kubectl get pods,secrets",
        "kubectl get pods -o yaml",
        "kubectl get -f x",
        "kubectl get pods --kubeconfig x",
        "kubectl get pods --server https://x",
        "kubectl get --raw /api",
      ],
    },
  },
);

/** Programs that ask a service in the name of whoever is logged in. None is built in. */
export const servicePrograms: ProgramTable = {
  gh,
  docker: {
    reason: "Looks at containers and images; whatever starts, changes or enters one, and other daemons and settings, is left out.",
    needsSubcommand: true,
    subcommands: new Map([
      [
        "ps",
        docker("ps", "Lists containers.", "-a --all -q --quiet -n= --last= -l --latest -s --size --no-trunc -f= --filter= --format=", [
          "docker ps --no-trunc x -v",
        ]),
      ],
      ["images", docker("images", "Lists images.", "-a --all -q --quiet --digests --no-trunc -f= --filter= --format=")],
      ["version", docker("version", "Prints versions.", "")],
      ["info", docker("info", "Prints the daemon's state.", "")],
    ]),
    examples: {
      match: [],
      notMatch: [
        "docker run -v /:/x alpine",
        "docker exec web sh",
        "docker inspect web",
        "docker build .",
        "docker pull alpine",
        "docker cp web:/etc x",
        "docker rm web",
        "docker compose up",
        "docker context use x",
        "docker",
      ],
    },
  },
  kubectl: {
    reason: "Lists plain resources of the cluster that is set; everything else, and other clusters and settings, is left out.",
    needsSubcommand: true,
    subcommands: new Map([["get", get]]),
    examples: {
      match: [],
      notMatch: [
        "kubectl delete pod x",
        "kubectl exec x -- sh",
        "kubectl apply -f x",
        "kubectl config view",
        "kubectl --kubeconfig x get pods",
      ],
    },
  },
};
