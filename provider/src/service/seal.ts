import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** Encrypts and authenticates texts with a key derived from the API key. */
export class Seal {
  private readonly key: Buffer;

  constructor(apiKey: string) {
    this.key = Buffer.from(hkdfSync("sha256", apiKey, "", "pulumi-cloudvoice note", 32));
  }

  /** Seals a text. `about` is authenticated too, but not contained in the result: `open` needs the same `about`. */
  close(text: string, about: string): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, this.key, iv).setAAD(Buffer.from(about));
    const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString("base64");
  }

  /** Returns the text. Undefined if it was changed, or sealed with another API key or another `about`. */
  open(sealed: string, about: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64");
    try {
      const options = { authTagLength: tagBytes };
      const decipher = createDecipheriv(algorithm, this.key, bytes.subarray(0, ivBytes), options);
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }
}
