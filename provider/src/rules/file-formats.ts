/*
 * The kinds of files that this package names, each once. `service/file-kind.ts` finds the kind of a file by its content.
 */

/** The recordings that the service accepts. `names`: the extensions that people give them. */
export const recordings = {
  wav: { mediaType: "audio/wav", extension: "wav", names: ["wav", "wave"] },
  mp3: { mediaType: "audio/mpeg", extension: "mp3", names: ["mp3"] },
  mp4: { mediaType: "audio/mp4", extension: "m4a", names: ["m4a", "m4b", "mp4", "aac"] },
} as const;
export type AudioKind = keyof typeof recordings;

const accepted = Object.values(recordings).flatMap(({ names }) => names as readonly string[]);
/** Recordings of other kinds, which the service refuses or which have another kind inside. */
const refused = "mp2 flac ogg oga opus aif aiff aifc amr caf wma ac3 au webm mka w64 rf64 bwf mov 3gp".split(" ");

const hasExtension = (path: string, extensions: readonly string[]) =>
  extensions.includes(/\.([a-z0-9]{2,4})$/i.exec(path)?.[1]?.toLowerCase() ?? "");

/** Whether the name of the file is that of a recording which the service may accept. */
export const isRecordingName = (path: string) => hasExtension(path, accepted);

/** Whether the name of the file is that of any recording. */
export const isSoundName = (path: string) => hasExtension(path, [...accepted, ...refused]);

interface PictureFormat {
  mediaType: string;
  /** Raster formats with a reliable signature are expected. For `sized` ones, the size is always found. */
  is?: "expected" | "sized";
}

/** Pictures by their extensions. Any other content of an image task is saved as `.bin`. */
export const pictures: Readonly<Partial<Record<string, PictureFormat>>> = {
  png: { mediaType: "image/png", is: "sized" },
  jpg: { mediaType: "image/jpeg", is: "sized" },
  webp: { mediaType: "image/webp", is: "sized" },
  gif: { mediaType: "image/gif", is: "sized" },
  bmp: { mediaType: "image/bmp", is: "sized" },
  tiff: { mediaType: "image/tiff", is: "expected" },
  heif: { mediaType: "image/heif", is: "expected" },
  heic: { mediaType: "image/heic", is: "expected" },
  avif: { mediaType: "image/avif", is: "expected" },
  jxl: { mediaType: "image/jxl" },
  jp2: { mediaType: "image/jp2" },
  jpx: { mediaType: "image/jpx" },
  j2c: { mediaType: "image/j2c" },
  jxr: { mediaType: "image/jxr" },
  ico: { mediaType: "image/x-icon" },
  icns: { mediaType: "image/icns" },
  psd: { mediaType: "image/vnd.adobe.photoshop" },
  tga: { mediaType: "image/x-tga" },
  tif: { mediaType: "image/tiff-fx" },
  qoi: { mediaType: "image/qoi" },
};

/** The extension of a saved picture: `png`, `jpg`, …, `bin`. */
export function extensionOf(contentType: string | undefined): string {
  return Object.keys(pictures).find((extension) => pictures[extension]?.mediaType === contentType) ?? "bin";
}
