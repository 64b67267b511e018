/** Contract 4.2 and 8: what one created voice is charged, in US dollars. The contract gives no price of images and decisions. */
const voicePrice = 0.01;

/** Whole cents, so that sums stay sums. */
export function voicesCost(count: number): number {
  return Math.round(count * voicePrice * 100) / 100;
}
