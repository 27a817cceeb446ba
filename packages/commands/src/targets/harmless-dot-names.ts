import type { NameEntry } from "./name-patterns.ts";

/**
 * Names with a dot that tools read as data alone. A file whose settings can load a plug-in, start a program, choose which one runs or
 * instruct an agent does not belong here, however usual it is: `.prettierrc`, `.nvmrc`, `.gitattributes`.
 */
export const harmlessDotNames: readonly NameEntry[] = [
  { names: ".gitignore", reason: "Patterns of files that git leaves out.", source: "https://git-scm.com/docs/gitignore" },
  {
    names: ".gitkeep .keep",
    reason: "Keeps an empty folder in git; no tool reads it.",
    source: "https://archive.kernel.org/oldwiki/git.wiki.kernel.org/index.php/GitFaq.html",
  },
  { names: ".mailmap", reason: "Names and addresses of authors.", source: "https://git-scm.com/docs/gitmailmap" },
  { names: ".git-blame-ignore-revs", reason: "Commits that blame passes over.", source: "https://git-scm.com/docs/git-blame" },
  { names: ".editorconfig", reason: "Indentation and line ends; no property names a program.", source: "https://spec.editorconfig.org/" },
  { names: ".prettierignore", reason: "Patterns of files that are not formatted.", source: "https://prettier.io/docs/ignore" },
  {
    names: ".eslintignore",
    reason: "Patterns of files that are not checked.",
    source: "https://eslint.org/docs/latest/use/configure/ignore-deprecated",
  },
  { names: ".stylelintignore", reason: "Patterns of files that are not checked.", source: "https://stylelint.io/user-guide/ignore-code" },
  {
    names: ".markdownlintignore",
    reason: "Patterns of files that are not checked.",
    source: "https://github.com/igorshubovych/markdownlint-cli#ignoring-files",
  },
  {
    names: ".dockerignore",
    reason: "Patterns of files that stay out of an image.",
    source: "https://docs.docker.com/build/concepts/context/#dockerignore-files",
  },
  {
    names: ".npmignore",
    reason: "Patterns of files that stay out of a package.",
    source: "https://docs.npmjs.com/cli/using-npm/developers#keeping-files-out-of-your-package",
  },
  {
    names: ".helmignore",
    reason: "Patterns of files that stay out of a chart.",
    source: "https://helm.sh/docs/chart_template_guide/helm_ignore_file/",
  },
  {
    names: ".gcloudignore",
    reason: "Patterns of files that are not uploaded.",
    source: "https://cloud.google.com/sdk/gcloud/reference/topic/gcloudignore",
  },
  {
    names: ".vercelignore",
    reason: "Patterns of files that are not uploaded.",
    source: "https://vercel.com/docs/deployments/vercel-ignore",
  },
  {
    names: ".vscodeignore",
    reason: "Patterns of files that stay out of an extension.",
    source: "https://code.visualstudio.com/api/working-with-extensions/publishing-extension#.vscodeignore",
  },
  {
    names: ".clang-format .clang-format-ignore",
    reason: "How code is laid out, as fixed options.",
    source: "https://clang.llvm.org/docs/ClangFormatStyleOptions.html",
  },
  { names: ".rustfmt.toml", reason: "How code is laid out, as fixed options.", source: "https://rust-lang.github.io/rustfmt/" },
  {
    names: ".yamllint .yamllint.yml .yamllint.yaml",
    reason: "Which fixed rules hold.",
    source: "https://yamllint.readthedocs.io/en/stable/configuration.html",
  },
  {
    names: ".nojekyll",
    reason: "An empty file that says that a site is ready as it is.",
    source: "https://docs.github.com/en/pages/getting-started-with-github-pages/about-github-pages-and-jekyll",
  },
  { names: ".well-known/**", reason: "What a site serves at fixed addresses.", source: "https://www.rfc-editor.org/rfc/rfc8615" },
  {
    names: ".env.example .env.sample .env.template",
    reason: "A form without secrets, which people copy; no loader reads it by itself.",
    source: "https://github.com/motdotla/dotenv#faq",
  },
  {
    names: ".changeset/*.md",
    reason: "The text of one change; the folder's config.json, which names a module, is left out.",
    source: "https://github.com/changesets/changesets/blob/main/docs/adding-a-changeset.md",
  },
  {
    names:
      ".github/issue_template/** .github/issue_template.md .github/pull_request_template/** .github/pull_request_template.md .github/discussion_template/**",
    reason: "Forms that a person fills in.",
    source: "https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests",
  },
  {
    names:
      ".github/code_of_conduct.md .github/contributing.md .github/funding.yml .github/readme.md .github/security.md .github/support.md",
    reason: "Texts for people, and addresses for sponsors.",
    source: "https://docs.github.com/en/communities/setting-up-your-project-for-healthy-contributions",
  },
  {
    names: ".github/workflows .github/workflows/*.yml .github/workflows/*.yaml",
    reason: "Runs on another machine after somebody pushes it, which asks by itself; nothing on this one obeys it.",
    source: "https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax",
  },
  {
    names: ".github/codeowners .github/dependabot.yml .github/dependabot.yaml .github/release.yml",
    reason: "Who reviews, and what GitHub proposes, after a push; nothing on this machine obeys it.",
    source:
      "https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners",
  },
  {
    names: ".gitlab/issue_templates/** .gitlab/merge_request_templates/**",
    reason: "Forms that a person fills in.",
    source: "https://docs.gitlab.com/user/project/description_templates/",
  },
];

/** Output and caches that their tools make again: removing them runs nothing and lifts no protection, writing into them may do both. */
export const removableDotNames: readonly NameEntry[] = [
  {
    names:
      ".next .nuxt .output .svelte-kit .docusaurus .cache .parcel-cache .vite .turbo .nyc_output .eslintcache .stylelintcache .temp .tmp .serverless .fusebox .dynamodb .vuepress .rpt2_cache",
    reason: "Output, caches and reports of JavaScript tools.",
    source: "https://github.com/github/gitignore/blob/main/Node.gitignore",
  },
  {
    names:
      ".pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .coverage .coverage.* .ipynb_checkpoints .eggs .venv .pybuilder .pyre .pytype .cache",
    reason: "Output, caches and environments of Python tools.",
    source: "https://github.com/github/gitignore/blob/main/Python.gitignore",
  },
  { names: ".gradle", reason: "Caches of Gradle.", source: "https://github.com/github/gitignore/blob/main/Gradle.gitignore" },
  { names: ".angular", reason: "Caches of Angular.", source: "https://github.com/github/gitignore/blob/main/Angular.gitignore" },
  { names: ".dart_tool", reason: "Caches of Dart.", source: "https://github.com/github/gitignore/blob/main/Dart.gitignore" },
  {
    names: ".terraform",
    reason: "Downloaded providers and modules.",
    source: "https://github.com/github/gitignore/blob/main/Terraform.gitignore",
  },
  {
    names: ".ds_store",
    reason: "How Finder shows a folder.",
    source: "https://github.com/github/gitignore/blob/main/Global/macOS.gitignore",
  },
];
