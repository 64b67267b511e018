#!/usr/bin/env bash
# Generates the recordings of the examples: 10 to 20 seconds of speech by espeak-ng, mono at 24 kHz, encoded by ffmpeg.
# The recordings are in the repository. Run this script only to change them. Debian: apt-get install espeak-ng ffmpeg.
set -euo pipefail
cd "$(dirname "$0")/../../examples/catalog/audio"

record() { # file, language, words per minute, text, options of ffmpeg …
  espeak-ng -v "$2" -s "$3" -w /tmp/speech.wav "$4"
  ffmpeg -loglevel error -y -i /tmp/speech.wav -ac 1 -ar 24000 -map_metadata -1 -fflags +bitexact -flags:a +bitexact "${@:5}" "$1"
  rm /tmp/speech.wav
  printf '%s  %s s\n' "$1" "$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$1")"
}

record narrator-en.wav en 150 "Welcome to the harbour. The ferry to the islands leaves every hour from the second pier. \
Please keep your ticket at hand, and mind the gap when you step on board. We wish you a pleasant crossing and a calm sea." -c:a pcm_s16le
record narrator-de.mp3 de 140 "Willkommen im Museum. Die Ausstellung im ersten Stock zeigt Karten aus fünf Jahrhunderten. \
Bitte berühren Sie die Vitrinen nicht. Die Führung beginnt in zehn Minuten am großen Globus in der Eingangshalle." -c:a libmp3lame -b:a 48k
record narrator-es.m4a es 145 "Bienvenidos al mercado. Los puestos de fruta y verdura abren a las siete de la mañana. \
Los sábados hay música en la plaza, y los niños pueden probar el pan recién hecho. Les deseamos un buen día a todos." -c:a aac -b:a 40k
record support-fr.mp3 fr 150 "Bonjour et merci de votre appel. Un conseiller va vous répondre dans quelques instants. \
Préparez votre numéro de client, il se trouve en haut de votre dernière facture. Merci de votre patience." -c:a libmp3lame -b:a 48k
record support-en.m4a en-us 150 "Thank you for calling. All of our advisers are busy at the moment, but your call matters to us. \
You can also write to us at any time, and we will answer within one working day. Please stay on the line." -c:a aac -b:a 40k
