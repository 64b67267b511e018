import pulumi
import pulumi_cloudvoice as cloudvoice

narrator = cloudvoice.CloudVoice(
    "narrator",
    target_model="svc3-tts-vc-2026-01-22",
    audio="narrator.wav",  # 10 to 20 seconds of speech: WAV, MP3 or MP4
    language="en",
)

pulumi.export("voice", narrator.voice)  # what synthesis calls take as `voice`
