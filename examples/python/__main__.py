import pulumi
import pulumi_cloudvoice as cloudvoice

catalog = cloudvoice.VoiceCatalog(
    "voices",
    defaults=cloudvoice.CatalogVoiceArgs(target_model="svc3-tts-vc-2026-01-22"),
    voices={
        "narrator": cloudvoice.CatalogVoiceArgs(audio="../catalog/audio/narrator-en.wav", language="en"),
        "support": cloudvoice.CatalogVoiceArgs(audio="../catalog/audio/support-fr.mp3", language="fr"),
    },
)
pulumi.export("manifest", catalog.manifest)
