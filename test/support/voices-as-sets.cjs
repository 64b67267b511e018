/**
 * The native classes, with a `CloudVoice` that is a set of one voice under the resource's name. So a program that
 * declares voices tells whether a set does what a voice does.
 */
const native = require("pulumi-cloudvoice/native");

const outputs = ["voice", "targetModel", "language", "createdAt", "audioSha256", "audioSeconds", "degraded", "adopted"];

function CloudVoice(name, inputs, options) {
  const set = new native.VoiceSet(name, { voices: { [name]: inputs } }, options);
  for (const output of outputs) set[output] = set.voices[name][output];
  return set;
}

module.exports = { ...native, CloudVoice };
