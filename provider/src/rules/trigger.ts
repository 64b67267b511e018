/** A value in `triggers`. In a file without zod, because published types refer to it. */
export type Trigger = string | number | boolean;
