import { type Rule, RuleTester } from "eslint";

/* Lint finds a text from outside in a command that people copy. */

const rule = jest.requireActual<Rule.RuleModule>("../../tools/quoted-commands.cjs");
const errors = [{ messageId: "unquoted" }];
const tester = new RuleTester();

tester.run("quoted-commands", rule, {
  valid: [
    "`Run \\`pulumi up --replace ${shellQuoted(urn)}\\`, or ask ${person}.`",
    "`\\`pulumi ${args.map(shellQuoted).join(' ')}\\` failed: ${reason}`",
    "`Run \\`pulumi up\\`${more}: ${name} is created.`",
    "`${name} is not created. Run \\`pulumi up\\`.`",
    "`${name}: ` + 'run `pulumi refresh`. ' + advice",
    "`pulumi-cloudvoice ${line}`",
    "`Next:\n  git status\n  ${anything}`",
    "'a' + 1 - count",
  ],
  invalid: [
    { code: "`Run \\`pulumi up --replace '${urn}'\\`.`", errors },
    { code: "`run npx --no-install pulumi-cloudvoice delete ${voice}`", errors },
    { code: "`PULUMI_CONFIG_PASSPHRASE= pulumi stack rm ${stack}`", errors },
    { code: "'To see it: `git show ' + commit + '`'", errors },
    { code: "`Of ${voice}: ` + `\\`curl --fail ` + `${url}\\``", errors },
    { code: "`pulumi config set ${shellQuoted(name)} '${value}'`", errors },
    { code: "`${name}:\n  npx ${command}`", errors },
  ],
});
