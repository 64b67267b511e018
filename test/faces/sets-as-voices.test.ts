/**
 * What the engine's tests of a voice show, a set of one voice does too. `CLOUDVOICE_FACE=set npx jest test/engine` runs all.
 */
process.env.CLOUDVOICE_FACE = "set";
jest.requireActual("../engine/moves.test");
