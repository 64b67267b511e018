/**
 * The price of one created voice in US dollars (docs/service.md). The service states no price of images and
 * decisions.
 */
const voicePrice = 0.01;

/** In whole cents, so that sums are exact. */
export function voicesCost(count: number): number {
  return Math.round(count * voicePrice * 100) / 100;
}
