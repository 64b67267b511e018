/** The part of Pulumi's package schema that the plugin reads itself. */
export interface PackageSchema {
  version: string;
}
