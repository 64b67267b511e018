/*
 * Programs that adopt voices: one mustache template for each language. `adoption.ts` quotes the names that it inserts,
 * because the names come from the service.
 */

const node = `
{{#stack}}
{{getStack}}
{{/stack}}
{{load}}

{{#stack}}
// {{onlyIn}}
const existing = (voice{{type}}) => (getStack() === {{stack}} ? voice : undefined);

{{/stack}}
{{#introduction}}
// {{.}}
{{/introduction}}
const voices = new VoiceCatalog("voices", {
{{#model}}
  defaults: { targetModel: {{.}} },
{{/model}}
  voices: {
{{#voices}}
    // {{created}}
    {{name}}: {
{{#ownModel}}
      targetModel: {{.}},
{{/ownModel}}
      audio: {{audio}}, // {{recording}}
      adopt: {{adopt}},
    },
{{/voices}}
  },
});

{{export}} = voices.manifest;`;

const typescript = node
  .replace("{{getStack}}", 'import { getStack } from "@pulumi/pulumi";')
  .replace("{{load}}", 'import { VoiceCatalog } from "pulumi-cloudvoice";')
  .replace("{{type}}", ": string")
  .replace("{{export}}", "export const manifest");

const javascript = node
  .replace("{{getStack}}", 'const { getStack } = require("@pulumi/pulumi");')
  .replace("{{load}}", 'const { VoiceCatalog } = require("pulumi-cloudvoice");')
  .replace("{{type}}", "")
  .replace("{{export}}", "exports.manifest");

const python = `
import pulumi
import pulumi_cloudvoice as cloudvoice

{{#stack}}

# {{onlyIn}}
def existing(voice):
    return voice if pulumi.get_stack() == {{stack}} else None


{{/stack}}
{{#introduction}}
# {{.}}
{{/introduction}}
voices = cloudvoice.VoiceCatalog(
    "voices",
{{#model}}
    defaults=cloudvoice.CatalogVoiceArgs(target_model={{.}}),
{{/model}}
    voices={
{{#voices}}
        # {{created}}
        {{key}}: cloudvoice.CatalogVoiceArgs(
{{#ownModel}}
            target_model={{.}},
{{/ownModel}}
            audio={{audio}},  # {{recording}}
            adopt={{adopt}},
        ),
{{/voices}}
    },
)

pulumi.export("manifest", voices.manifest)`;

/** Pulumi YAML does not have conditions, so this program adopts in every stack. */
const yaml = `
{{#introduction}}
# {{.}}
{{/introduction}}
{{#stack}}
# Only the stack {{stack}} has these voices: update this stack first. Remove \`adopt\` before other stacks use
# this program. {{inOtherStacks}}
{{/stack}}
resources:
  voices:
    type: cloudvoice:VoiceCatalog
    properties:
{{#model}}
      defaults: { targetModel: {{.}} }
{{/model}}
      voices:
{{#voices}}
        # {{created}}
        {{key}}:
{{#ownModel}}
          targetModel: {{.}}
{{/ownModel}}
          audio: {{audio}} # {{recording}}
          adopt: {{voice}}
{{/voices}}
outputs:
  manifest: \${voices.manifest}`;

const go = `
package main

import (
\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
\t"pulumi-cloudvoice.local/sdk/go/cloudvoice"
)

func main() {
\tpulumi.Run(func(ctx *pulumi.Context) error {
{{#stack}}
\t\t// {{onlyIn}}
\t\texisting := func(voice string) pulumi.StringPtrInput {
\t\t\tif ctx.Stack() == {{stack}} {
\t\t\t\treturn pulumi.String(voice)
\t\t\t}
\t\t\treturn nil
\t\t}
{{/stack}}
{{#introduction}}
\t\t// {{.}}
{{/introduction}}
\t\tvoices, err := cloudvoice.NewVoiceCatalog(ctx, "voices", &cloudvoice.VoiceCatalogArgs{
{{#model}}
\t\t\tDefaults: cloudvoice.CatalogVoiceArgs{TargetModel: pulumi.String({{.}})},
{{/model}}
\t\t\tVoices: cloudvoice.CatalogVoiceMap{
{{#voices}}
\t\t\t\t// {{created}}
\t\t\t\t{{key}}: cloudvoice.CatalogVoiceArgs{
{{#ownModel}}
\t\t\t\t\tTargetModel: pulumi.String({{.}}),
{{/ownModel}}
\t\t\t\t\tAudio: pulumi.String({{audio}}), // {{recording}}
\t\t\t\t\tAdopt: {{#stack}}{{adopt}}{{/stack}}{{^stack}}pulumi.String({{voice}}){{/stack}},
\t\t\t\t},
{{/voices}}
\t\t\t},
\t\t})
\t\tif err != nil {
\t\t\treturn err
\t\t}
\t\tctx.Export("manifest", voices.Manifest)
\t\treturn nil
\t})
}`;

export const adoptingPrograms = { typescript, javascript, python, yaml, go };
