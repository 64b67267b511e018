package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"pulumi-cloudvoice.local/sdk/go/cloudvoice"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		voice := func(audio, language string) cloudvoice.CatalogVoiceArgs {
			return cloudvoice.CatalogVoiceArgs{
				Audio:    pulumi.String("../catalog/audio/" + audio),
				Language: pulumi.String(language),
			}
		}
		catalog, err := cloudvoice.NewVoiceCatalog(ctx, "voices", &cloudvoice.VoiceCatalogArgs{
			Defaults: cloudvoice.CatalogVoiceArgs{TargetModel: pulumi.String("svc3-tts-vc-2026-01-22")},
			Voices: cloudvoice.CatalogVoiceMap{
				"narrator": voice("narrator-en.wav", "en"),
				"support":  voice("support-fr.mp3", "fr"),
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("manifest", catalog.Manifest)
		return nil
	})
}
