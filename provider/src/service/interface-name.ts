/** The interfaces of the service. */
export type InterfaceName = "voices" | "images" | "decisions";
