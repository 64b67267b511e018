/** Why a response cannot be read. The message says what was expected, and names fields and never values. */
export class FormProblem extends Error {}
