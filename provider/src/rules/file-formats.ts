/*
 * The one list of the file kinds that this package knows. `service/file-kind.ts` finds the kind of a file by its
 * content.
 */

/** The recordings that the service accepts. `names`: the extensions that people give them. */
export const recordings = {
  wav: { mediaType: "audio/wav", extension: "wav", names: ["wav", "wave"] },
  mp3: { mediaType: "audio/mpeg", extension: "mp3", names: ["mp3"] },
  mp4: { mediaType: "audio/mp4", extension: "m4a", names: ["m4a", "m4b", "mp4", "aac"] },
} as const;
export type AudioKind = keyof typeof recordings;

const accepted = Object.values(recordings).flatMap(({ names }) => names as readonly string[]);
/**
 * Extensions of other recordings. The service refuses such a file, unless an accepted kind is inside, e.g. WAV in a
 * `.bwf` file.
 */
const refused = "mp2 flac ogg oga opus aif aiff aifc amr caf wma ac3 au webm mka w64 rf64 bwf mov 3gp".split(" ");

const hasExtension = (path: string, extensions: readonly string[]) =>
  extensions.includes(/\.([a-z0-9]{2,4})$/i.exec(path)?.[1]?.toLowerCase() ?? "");

/** Whether the file's name is the name of a recording that the service may accept. */
export const isRecordingName = (path: string) => hasExtension(path, accepted);

/** Whether the file's name is the name of any recording. */
export const isSoundName = (path: string) => hasExtension(path, [...accepted, ...refused]);

interface PictureFormat {
  mediaType: string;
  /** Whether image services send this format. A picture of another format is saved as it came, with a warning. */
  isExpected?: true;
}

/** Pictures by their extensions. Any other content of an image task is saved as `.bin`. */
export const pictures: Readonly<Partial<Record<string, PictureFormat>>> = {
  png: { mediaType: "image/png", isExpected: true },
  jpg: { mediaType: "image/jpeg", isExpected: true },
  webp: { mediaType: "image/webp", isExpected: true },
  gif: { mediaType: "image/gif" },
  bmp: { mediaType: "image/bmp" },
  tif: { mediaType: "image/tiff" },
  heif: { mediaType: "image/heif" },
  heic: { mediaType: "image/heic" },
  avif: { mediaType: "image/avif" },
  jxl: { mediaType: "image/jxl" },
  jp2: { mediaType: "image/jp2" },
  jpx: { mediaType: "image/jpx" },
  jxr: { mediaType: "image/jxr" },
  ico: { mediaType: "image/x-icon" },
  icns: { mediaType: "image/icns" },
  psd: { mediaType: "image/vnd.adobe.photoshop" },
};

export function extensionOf(contentType: string | undefined): string {
  return Object.keys(pictures).find((extension) => pictures[extension]?.mediaType === contentType) ?? "bin";
}
