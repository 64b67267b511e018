import { GeneratedImage } from "pulumi-cloudvoice";

const cover = new GeneratedImage("cover", {
  model: "svc-image-plus",
  prompt: "A paper boat on a puddle, seen from above",
  negativePrompt: "text, people",
  size: "1328*1328",
  saveTo: "covers",
});

export const file = cover.images[0]?.file;
