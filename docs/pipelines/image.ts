// index.ts: an image that a pipeline generates, kept in a bucket, and its address for those who use it.
//
//   pulumi config set pictures "s3://my-pictures/covers?region=eu-central-1"
//   npm install @aws-sdk/client-s3
//
// The runner needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role, as for Pulumi's state in S3. With the journal in a
// bucket too (CLOUDVOICE_JOURNAL), a run on the next runner goes on with a task that a killed one has submitted.
import * as pulumi from "@pulumi/pulumi";
import { GeneratedImage } from "pulumi-cloudvoice";

const image = new GeneratedImage("cover", {
  model: "svc-image-plus",
  prompt: "A lighthouse at dusk",
  size: "1328*1328",
  saveTo: new pulumi.Config().require("pictures"),
});

/** `s3://my-pictures/covers/cover-….png`: the same on every machine and in every run, for stack references and later jobs. */
export const cover = image.images.apply(([first]) => first?.file);
