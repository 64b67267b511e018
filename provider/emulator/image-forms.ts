import type { Fields } from "./fields";

/** An image of a finished task, or why there is none. */
export type TaskImage = { url: string; [other: string]: unknown } | { code: string; message: string };

type Words = readonly [string, string, string];

/** How a finished task names its images. Each form has a name, which a dialect draws. */
export const imageForms = {
  results: (images) => ({ results: images }),
  images: (images) => ({ images }),
  "image_url in results": (images) => ({ results: images.map((image) => renamed(image, "image_url")) }),
  image_urls: (images) => ({ image_urls: urlsOf(images), ...failed(images) }),
  urls: (images) => ({ urls: urlsOf(images), ...failed(images) }),
  "results of texts": (images) => ({ results: urlsOf(images), ...failed(images) }),
  "one text": (images) =>
    images.length === 1 && urlsOf(images).length === 1
      ? { image_url: urlsOf(images)[0] }
      : { image_urls: urlsOf(images), ...failed(images) },
  "one object": (images) => (images.length === 1 ? { result: images[0] } : { results: images }),
  "map of objects": (images) => ({ images: Object.fromEntries(images.map((image, at) => [`image_${at + 1}`, image])) }),
  "map of texts": (images) => ({
    images: Object.fromEntries(urlsOf(images).map((url, at) => [`image_${at + 1}`, url])),
    ...failed(images),
  }),
  nested: (images) => ({ result: { images: images.map((image) => ({ image })) } }),
  content: (images) => ({
    choices: [{ message: { role: "assistant", content: images.map((image) => renamed(image, "image")) } }],
  }),
  words: (images, [first, second]) => ({ [first]: images.map((image) => renamed(image, second)) }),
  "nested words": (images, [first, second, third]) => ({ [first]: { [second]: { [third]: urlsOf(images) } } }),
} satisfies Record<string, (images: TaskImage[], words: Words) => Fields>;
export type ImageForm = keyof typeof imageForms;

function urlsOf(images: TaskImage[]): string[] {
  return images.flatMap((image) => (isFound(image) ? [image.url] : []));
}

/** For the forms that have no room for it among the images. */
function failed(images: TaskImage[]): Fields {
  const failures = images.filter((image) => !isFound(image));
  return failures.length === 0 ? {} : { failed: failures };
}

function renamed(image: TaskImage, name: string): Fields {
  if (!isFound(image)) return image;
  const { url, ...others } = image;
  return { [name]: url, ...others };
}

function isFound(image: TaskImage): image is TaskImage & { url: string } {
  return "url" in image;
}
